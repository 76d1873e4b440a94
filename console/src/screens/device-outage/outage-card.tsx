import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { actionText } from '../../ui/words/action-text.js';
import { Failure } from '../../ui/messages.js';
import { Mark } from '../../ui/mark.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type CheckAction, CheckNow, reachQuery, useCheck } from './check.js';
import { causeOf, type Neighbours, neighbourText, storedStages } from './outage-cause.js';
import { StageRow } from './stage-row.js';
import styles from './outage.module.css';

type Device = Schema<'Device'>;
type Check = Schema<'DeviceCheck'>;

/** The first thing about a device that does not answer: why, since when, and what to do. It stays after a check that it passed. */
export function OutageCard({ device }: { device: Device }): ReactNode {
  const { state, stateReason } = device;
  const check = useCheck(device);
  if (state !== 'offline' && !check.data) return null;
  return state === 'offline' ? (
    <Outage device={device} check={check} stages={stagesOf(check.data, stateReason)} />
  ) : (
    <Card>
      <div className="stack">
        <Head title="It answers again" checkedAt={check.data?.checkedAt} isGood>
          <CheckNow check={check} />
        </Head>
        <StageRow stages={check.data!.stages} />
      </div>
    </Card>
  );
}

const stagesOf = (check: Check | undefined, reason: string | null) =>
  check && !check.answered ? check.stages : storedStages(causeOf(reason));

interface OutageProps {
  device: Device;
  check: CheckAction;
  stages: ReturnType<typeof stagesOf>;
}

function Outage({ device, check, stages }: OutageProps): ReactNode {
  const reason = failedDetail(check.data) ?? device.stateReason;
  const cause = causeOf(reason);
  const reach = useQuery(reachQuery(device.id));
  const since = reach.data?.since ?? null;
  return (
    <Card>
      <div className="stack">
        <Head title="It does not answer" cause={cause.title} since={since} checkedAt={check.data?.checkedAt}>
          <CheckNow check={check} />
        </Head>
        <StageRow stages={stages} />
        {reach.error ? <Failure error={reach.error} onRetry={() => void reach.refetch()} /> : null}
        <div className="columns">
          <Facts
            of={[
              ['Last answer', <Ago key="seen" at={device.seenAt} />],
              ['Next try', <NextTry key="next" at={reach.data?.nextCheckAt} />],
              ['Last change before', <LastChange key="change" deviceId={device.id} before={since} />],
              ...(stages.some(({ detail }) => detail) ? [] : [['Technical reason', reason] as const]),
            ]}
          />
          <div className="stack">
            {reach.data?.neighbours.map((beside) => (
              <NeighbourLine key={beside.by} of={beside} />
            ))}
            <h3>What to do</h3>
            <ol className={styles['todo']}>
              {cause.todo.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ol>
          </div>
        </div>
      </div>
    </Card>
  );
}

function NeighbourLine({ of }: { of: Neighbours }): ReactNode {
  return (
    <p>
      {neighbourText(of)}
      {of.others.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 ? ' and ' : ' '}
          <To to={`/devices/${id}`} className="foreign">
            {name}
          </To>
        </Fragment>
      ))}
      {of.others.length > 0 && '.'}
    </p>
  );
}

const failedDetail = (check: Check | undefined): string | null =>
  (!check?.answered && check?.stages.find(({ outcome }) => outcome === 'failed')?.detail) || null;

interface HeadProps {
  title: string;
  cause?: string;
  since?: string | null;
  checkedAt: string | undefined;
  isGood?: boolean;
  children: ReactNode;
}

function Head({ title, cause, since, checkedAt, isGood = false, children }: HeadProps): ReactNode {
  return (
    <div className={styles['head']}>
      <div>
        <h2>
          <Mark tone={isGood ? 'good' : 'bad'}>{title}</Mark>
        </h2>
        {cause && <strong>{cause}</strong>}
        <span className="small quiet">
          {since && `Offline since ${exactText(since)}`}
          {since && checkedAt && ' · '}
          {checkedAt && (
            <>
              checked by hand <Ago at={checkedAt} />
            </>
          )}
        </span>
      </div>
      {children}
    </div>
  );
}

function NextTry({ at }: { at: string | null | undefined }): ReactNode {
  if (at === undefined) return <span className="quiet">…</span>;
  return at === null ? <span className="quiet">this gateway does not check by itself</span> : <Ago at={at} />;
}

/** Reads change nothing. */
const READS = new Set(['device.call_read', 'device.read_secrets', 'artifact.read']);

/** What people and jobs last did to the device before it went away. */
function LastChange({ deviceId, before }: { deviceId: string; before: string | null }): ReactNode {
  const may = useMay('audit.read');
  const { data, error } = useQuery({
    queryKey: KEYS.audit.before(deviceId, before),
    queryFn: ({ signal }) => {
      const query = { deviceId, limit: 20, ...(before === null ? {} : { until: before }) };
      return api.get('/v1/audit', { params: { query }, signal });
    },
    enabled: may,
  });
  if (!may) return <span className="quiet">you may not read the audit</span>;
  if (error) return <span className="quiet">cannot be read</span>;
  if (!data) return <span className="quiet">…</span>;
  const last = data.items.find(({ action }) => !READS.has(action));
  if (!last) return <span className="quiet">none is known</span>;
  return (
    <span>
      <To to="/audit" search={{ entry: last.id }}>
        {actionText(last.action)}
      </To>{' '}
      <Ago at={last.openedAt} /> by{' '}
      <span className="foreign">{last.actor.startsWith('system:') ? 'the gateway itself' : last.actorName}</span>
    </span>
  );
}
