import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Since } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { AcceptDifference, canBeAccepted } from './accept/accept-difference.js';
import { DeviceStates } from './device-states.js';
import { type DriftGroup, driftGroups } from './drift-groups.js';
import { IgnoreDifference } from './ignore/ignore-difference.js';
import { IgnoredOptions } from './ignore/ignored-options.js';
import { differenceText, differenceWords, tokensOf } from './item-words.js';
import { NamedDevices } from './put-back/named-devices.js';
import { PutBackDevice } from './put-back/put-back-device.js';
import { PutBackGroup } from './put-back/put-back-group.js';
import { Spellings } from './spellings.js';
import { Suspended } from './suspended.js';
import { closeText, countOf, OPEN_STATES, PLAN } from './sync-words.js';
import { differingQuery, ignoredQuery } from './template-queries.js';
import styles from './templates.module.css';

type Template = Schema<'Template'>;

/** Further groups are shown by a button. */
const SHOWN = 20;

/** How devices compare with the published version: what differs, the equal differences together, and each device. */
export function Drift({ template }: { template: Template }): ReactNode {
  if (template.publishedNumber === null)
    return (
      <div className="card">
        <Empty
          title="Nothing is published"
          command={`fleetgate template publish ${template.name} --reason 'one time server for all'`}
          action={
            <To to={`/templates/${template.name}`} search={{ tab: 'plan' }}>
              See what it would change
            </To>
          }
        >
          Devices are compared with the published version. Publishing changes no router.
        </Empty>
      </div>
    );
  return (
    <div className="stack">
      <Suspended template={template} />
      <Differences template={template} />
      <IgnoredOptions template={template.name} />
      <Spellings template={template} />
      <DeviceStates template={template} />
    </div>
  );
}

function Differences({ template }: { template: Template }): ReactNode {
  const { name, sync } = template;
  const query = useQuery(differingQuery(name));
  const [shown, setShown] = useState(SHOWN);
  const [chosen, setChosen] = useState<DriftGroup | null>(null);
  const [accepted, setAccepted] = useState<DriftGroup | null>(null);
  const [ignored, setIgnored] = useState<DriftGroup | null>(null);
  const mayEdit = useMay('template.edit');
  const mayPublish = useMay('template.publish');
  const mayRollOut = useMay('rollout.manage');
  const mayStart = useMay('job.start');
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const groups = driftGroups(query.data.rows);
  const open = countOf(sync, OPEN_STATES);
  const close = () => setChosen(null);
  if (groups.length === 0) return open === 0 ? <NoneDiffers of={template} /> : null;
  const canPutBack = ({ devices }: DriftGroup) =>
    devices.some(isOpen) && (devices.length === 1 ? mayStart : mayRollOut);
  const act: Column<DriftGroup> = {
    title: '',
    cell: (group) => (
      <RowActions
        of={differenceText(group.difference)}
        actions={[
          canPutBack(group) && {
            text: actOf(group),
            label: `${actOf(group)}: ${differenceText(group.difference)}`,
            onSelect: () => setChosen(group),
          },
          mayEdit &&
            canBeAccepted(group.difference) && {
              text: 'Accept',
              label: `Accept: ${differenceText(group.difference)}`,
              onSelect: () => setAccepted(group),
            },
          mayPublish &&
            group.difference.option !== null && {
              text: 'Ignore',
              label: `Ignore: ${differenceText(group.difference)}`,
              onSelect: () => setIgnored(group),
            },
        ]}
      />
    ),
  };
  return (
    <Card title={`${countText(groups.length, 'difference')} on ${countText(query.data.rows.length, 'device')}`} flush>
      <div className="stack">
        <Table label="What differs" columns={[...COLUMNS, act]} rows={groups.slice(0, shown)} rowKey={({ id }) => id} />
        {groups.length > shown && (
          <Button onClick={() => setShown(groups.length)}>
            Show {countText(groups.length - shown, 'further difference')}
          </Button>
        )}
        {query.data.isPart && <p className="small quiet">These are the differences of the first devices by name.</p>}
      </div>
      {accepted && (
        <AcceptDifference
          template={template}
          groups={query.data.isPart ? null : groups}
          group={accepted}
          onClose={() => setAccepted(null)}
        />
      )}
      {ignored && <IgnoreDifference template={template} group={ignored} onClose={() => setIgnored(null)} />}
      {chosen && <PutBack template={name} group={chosen} onClose={close} />}
    </Card>
  );
}

/** What was not compared may differ. */
function NoneDiffers({ of: { name, sync } }: { of: Template }): ReactNode {
  const { data } = useQuery(ignoredQuery(name));
  const except = (data?.items.length ?? 0) > 0 ? ', except in what is ignored' : '';
  const compared = sync.in_sync ?? 0;
  const others = countOf(sync) - compared;
  if (compared + others === 0) return null;
  return (
    <p className="quiet">
      {compared > 0 && `No device that is compared differs from the published version${except}. `}
      {others > 0 && `${countText(others, 'device')} ${pluralText(others, 'is', 'are')} not compared.`}
    </p>
  );
}

/** A job for one device, and a rollout for more. */
function actOf({ devices }: DriftGroup): string {
  const [only, ...more] = devices.filter(isOpen);
  return only && more.length === 0 ? closeText(only.state) : PLAN;
}

const isOpen = ({ state }: Schema<'DeviceTemplateState'>): boolean => OPEN_STATES.some((one) => one === state);

/** What the act of a row opens. */
function PutBack({
  template,
  group,
  onClose,
}: {
  template: string;
  group: DriftGroup;
  onClose: () => void;
}): ReactNode {
  const open = group.devices.filter(isOpen);
  const [only] = open;
  if (only && open.length === 1) return <PutBackDevice state={only} onClose={onClose} />;
  return <PutBackGroup template={template} group={group} devices={open} onClose={onClose} />;
}

const COLUMNS: readonly Column<DriftGroup>[] = [
  {
    title: 'Setting',
    narrow: 'heading',
    share: 24,
    cell: ({ difference, since }) => (
      <>
        <span className="foreign" title={tokensOf(difference)}>
          {differenceWords(difference).what}
        </span>
        <div className="small quiet">
          <Since at={since} />
        </div>
      </>
    ),
  },
  {
    title: 'Should be',
    narrow: 'block',
    cell: ({ difference }) => (
      <span className={`foreign ${styles['value']}`}>{differenceWords(difference).wanted}</span>
    ),
    brief: ({ difference }) => (
      <>
        <span className="quiet">should be</span> <span className="foreign">{differenceWords(difference).wanted}</span>
      </>
    ),
  },
  {
    title: 'Is',
    narrow: 'block',
    cell: ({ difference }) => (
      <strong className={`foreign ${styles['value']}`}>{differenceWords(difference).seen}</strong>
    ),
    brief: ({ difference }) => (
      <>
        <span className="quiet">is</span> <strong className="foreign">{differenceWords(difference).seen}</strong>
      </>
    ),
  },
  {
    title: 'Devices',
    narrow: 'block',
    cell: (group) => <NamedDevices of={group.devices} />,
  },
];
