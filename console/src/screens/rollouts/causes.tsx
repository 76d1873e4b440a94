import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { StateMark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { durationText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { reasonText } from './reasons.js';
import styles from './rollouts.module.css';

/** The report of a rollout as files. */
export function ReportLinks({ rolloutId }: { rolloutId: string }): ReactNode {
  const link = (format: string) => ownPath(`/v1/rollouts/${encodeURIComponent(rolloutId)}/report?format=${format}`);
  return (
    <span className="row small">
      <a href={link('html')} target="_blank" rel="noreferrer">
        Report
      </a>
      <a href={link('csv')} download={`rollout-${rolloutId}.csv`}>
        CSV
      </a>
      <a href={link('json')} download={`rollout-${rolloutId}.json`}>
        JSON
      </a>
    </span>
  );
}

/** Whether some device has not succeeded, so that the causes say something. */
export const hasCauses = (rollout: Schema<'RolloutWithWaves'>): boolean =>
  withoutSuccess(rollout).some((state) => rollout.counts[state] > 0);

/** An offline device is waited for until the rollout ends. The report counts devices that still wait, too. */
const withoutSuccess = ({ endedAt }: Schema<'RolloutWithWaves'>) => [
  ...(['failed', 'unknown', 'skipped', 'cancelled'] as const),
  ...(endedAt === null ? [] : (['offline'] as const)),
];

/** The report: causes of failures together, devices that need a person, and how long a device takes. */
export function Causes({ rollout }: { rollout: Schema<'RolloutWithWaves'> }): ReactNode {
  const rolloutId = rollout.id;
  const states: readonly string[] = withoutSuccess(rollout);
  const { data: report, error } = useQuery({
    queryKey: KEYS.rollout.report(rolloutId),
    queryFn: ({ signal }) => api.get('/v1/rollouts/{rolloutId}/report', { params: { path: { rolloutId } }, signal }),
  });
  return (
    <Card title="Why devices did not succeed">
      {error ? <Failure error={error} /> : null}
      {report && <CauseList causes={report.causes.filter(({ state }) => states.includes(state))} />}
      {report && <NeedsPerson devices={report.needsPerson} />}
      {report?.times.perDevice && (
        <p className="small quiet">
          One device takes {durationText(report.times.perDevice.p50 * 1_000)}, nine of ten at most{' '}
          {durationText(report.times.perDevice.p90 * 1_000)}, the slowest{' '}
          {durationText(report.times.perDevice.max * 1_000)}.
        </p>
      )}
    </Card>
  );
}

function CauseList({ causes }: { causes: Schema<'RolloutReport'>['causes'] }): ReactNode {
  return (
    <ul className={styles['causes']}>
      {causes.map(({ state, reason, count, devices }) => (
        <li key={`${state} ${reason}`}>
          <div className="row spread">
            <span className="row">
              <StateMark state={state} />
              <span className="foreign">{reasonText(reason)}</span>
            </span>
            <To to="." search={{ state }}>
              {count.toLocaleString('en')}
            </To>
          </div>
          <span className="small quiet foreign">
            {devices.slice(0, 8).join(', ')}
            {count > Math.min(8, devices.length) ? ' …' : ''}
          </span>
        </li>
      ))}
    </ul>
  );
}

function NeedsPerson({ devices }: { devices: Schema<'RolloutReport'>['needsPerson'] }): ReactNode {
  if (devices.length === 0) return null;
  return (
    <>
      <h3>A person must look at</h3>
      <p className="foreign">
        {devices.slice(0, 20).map(({ deviceId, name }, at) => (
          <span key={deviceId}>
            {at > 0 && ', '}
            <To to={`/devices/${deviceId}`}>{name}</To>
          </span>
        ))}
        {devices.length > 20 ? ` and ${devices.length - 20} more` : ''}
      </p>
    </>
  );
}
