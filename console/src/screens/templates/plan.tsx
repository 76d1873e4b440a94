import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Headline } from '../../ui/devices/headline.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { pathTitle, settingTitle } from '../observed/path-words.js';
import { type PlanGroup, planGroups } from './drift-groups.js';
import { titleOf } from './item-words.js';
import { NamedDevices } from './put-back/named-devices.js';
import { DifferenceLines } from './put-back/put-back-parts.js';
import { leftOutText, REMEDIES } from './sync-words.js';
import { planQuery } from './template-queries.js';
import changes from '../../ui/rows/changes.module.css';

type TemplatePlan = Schema<'TemplatePlan'>;

/** What the draft would change on which devices, by what watches have read. */
export function Plan({ template: { name } }: { template: Schema<'Template'> }): ReactNode {
  const query = useQuery(planQuery(name));
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading what="Planning" />;
  const plan = query.data;
  return (
    <div className="stack">
      <Card>
        <div className="stack">
          <Headline
            value={plan.changed}
            of={plan.devices}
            text="devices would change"
            parts={[
              [plan.inSync, 'in sync'],
              [plan.newSections, 'would get a new section'],
              [leftOutOf(plan), 'left out'],
            ]}
          />
          <div className="row">
            <Button icon="refresh" busy={query.isFetching} onClick={() => void query.refetch()}>
              Plan again
            </Button>
            <span className="small quiet">From what was last read of each device. Planning changes no router.</span>
          </div>
          <Warnings plan={plan} />
          <EquivalentLines
            command={`template plan ${name}`}
            method="POST"
            path={`/v1/templates/${name}/plan`}
            body={{}}
          />
        </div>
      </Card>
      <Changes of={plan} />
    </div>
  );
}

/** Each change with its devices; of many devices the changes with their number, and some devices. */
function Changes({ of: { options, samples, changed } }: { of: TemplatePlan }): ReactNode {
  const isWhole = samples.length === changed;
  const title = isWhole ? 'What would change' : `Examples: ${countText(samples.length, 'device')}`;
  const columns = samples.some(({ risks }) => risks.length > 0) ? [...SAMPLES, RISKS] : SAMPLES;
  return (
    <>
      {options.length > 0 && !isWhole && (
        <Card title="What would change" flush>
          <Table
            label="What would change"
            columns={OPTIONS}
            rows={options}
            rowKey={({ path, option, is }) => `${path} ${option} ${is}`}
          />
        </Card>
      )}
      {samples.length > 0 && (
        <Card {...(isWhole ? {} : { title })} flush>
          <Table
            label={title}
            columns={columns}
            rows={planGroups(samples).map((one, at) => ({ ...one, isFirst: at === 0 }))}
            rowKey={({ id }) => id}
          />
        </Card>
      )}
    </>
  );
}

const leftOutOf = ({ leftOut }: TemplatePlan): number => leftOut.reduce((sum, { devices }) => sum + devices, 0);

/** What stands against publishing, what is left out, and what is dangerous. */
export function Warnings({ plan }: { plan: TemplatePlan }): ReactNode {
  const { overlaps, risks, leftOut, secrets } = plan;
  return (
    <>
      {overlaps.length > 0 && <Overlaps of={overlaps} />}
      {risks.length > 0 && (
        <Notice tone="warn">
          <strong>Some changes can cut the connection to a device</strong>
          {risks.map(({ path, reason, devices }) => (
            <span key={`${path} ${reason}`} className="foreign">
              {pathTitle(servicePath(path))}: {reason} ({countText(devices, 'device')})
            </span>
          ))}
          <span>They are made only where the job or the rollout says so.</span>
        </Notice>
      )}
      {leftOut.length > 0 && <LeftOut of={leftOut} />}
      {secrets.length > 0 && (
        <p className="small quiet">
          Secrets are not shown:{' '}
          <span className="foreign">
            {secrets
              .map((one) => `${titleOf(one)}${one.isGenerated ? ' (one is made for each device)' : ''}`)
              .join('; ')}
          </span>
        </p>
      )}
    </>
  );
}

/** What stands against publishing, and what to do about it. */
export const Overlaps = ({ of }: { of: TemplatePlan['overlaps'] }): ReactNode => (
  <Notice tone="bad">
    <strong>Cannot be published:{of.length > 1 ? ' other templates decide the same' : <Decides of={of[0]!} />}</strong>
    {of.length > 1 &&
      of.map((one) => (
        <span key={`${one.template} ${one.path} ${JSON.stringify(one.key)} ${one.option}`}>
          <Decides of={one} />
        </span>
      ))}
    <span>Leave the setting out of one of them, or choose other devices.</span>
  </Notice>
);

/** `base decides Host name on 7 devices`, with the way to the other template. */
const Decides = ({ of: { template, devices, ...item } }: { of: TemplatePlan['overlaps'][number] }): ReactNode => (
  <>
    {' '}
    <To to={`/templates/${template}`}>{template}</To> decides <span className="foreign">{titleOf(item)}</span> on{' '}
    {countText(devices, 'device')}
  </>
);

/** A change names a section: `/api/ntp/servers/config/1` is at the service `/api/ntp/servers/config`. */
const servicePath = (path: string): string => path.replace(/(\/config)\/.*$/, '$1');

function LeftOut({ of }: { of: TemplatePlan['leftOut'] }): ReactNode {
  return (
    <Notice tone="warn">
      <strong>
        {countText(
          of.reduce((sum, { devices }) => sum + devices, 0),
          'device',
        )}{' '}
        left out
      </strong>
      {of.map(({ reason, path, devices, samples }) => (
        <span key={`${reason} ${path}`}>
          {numberText(devices)}: {leftOutText(reason)}
          {path && <span className="foreign"> ({pathTitle(path)})</span>}
          {REMEDIES[reason] && `. ${REMEDIES[reason]}`}{' '}
          <span className="quiet foreign">
            {samples.map(({ name }) => name).join(', ')}
            {devices > samples.length ? ' …' : ''}
          </span>
        </span>
      ))}
      <span className="row">
        <To to="/configuration" search={{ tab: 'watches' }}>
          Open the watches
        </To>
      </span>
    </Notice>
  );
}

const IS: Readonly<Record<Schema<'TemplateDifference'>['is'], string>> = {
  missing: 'is added',
  surplus: 'goes',
  different: 'gets another value',
  normalised: 'stays: another spelling',
  ignored: 'stays: ignored',
};

const OPTIONS: readonly Column<TemplatePlan['options'][number]>[] = [
  {
    title: 'Setting',
    narrow: 'heading',
    cell: ({ path, option }) => (
      <span title={option === null ? path : `${path} ${option}`}>{settingTitle(path, '', option)}</span>
    ),
  },
  {
    title: 'Change',
    narrow: 'line',
    cell: ({ option, is }) => (option === null && is !== 'normalised' ? `a section ${IS[is]}` : IS[is]),
  },
  {
    title: 'Devices',
    isNumber: true,
    cell: ({ devices }) => numberText(devices),
    brief: ({ devices }) => countText(devices, 'device'),
  },
];

interface PlanRow extends PlanGroup {
  readonly isFirst: boolean;
}

/** Devices for which the plan is the same are one row. */
const SAMPLES: readonly Column<PlanRow>[] = [
  {
    title: 'What would change',
    narrow: 'block',
    share: 62,
    cell: ({ differences, isFirst }) => <DifferenceLines of={differences} isHeaded={isFirst} />,
  },
  { title: 'Devices', narrow: 'heading', cell: ({ devices }) => <NamedDevices of={devices} /> },
];

const RISKS: Column<PlanRow> = {
  title: 'Risks',
  narrow: 'block',
  brief: ({ risks }) => risks.length > 0 && <Risks of={risks} />,
  cell: ({ risks }) => (risks.length === 0 ? <span className="quiet">–</span> : <Risks of={risks} />),
};

function Risks({ of }: { of: TemplatePlan['samples'][number]['risks'] }): ReactNode {
  return <span className={changes['changes']}>{of.map(({ reason }) => reason).join('; ')}</span>;
}
