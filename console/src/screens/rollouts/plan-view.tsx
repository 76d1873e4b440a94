import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Notice } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { openSpans, plannedSpans } from './pictures/wave-times.js';
import { WaveTimeline } from './pictures/wave-timeline.js';
import { grouped, reasonText } from './reasons.js';
import { WindowCalendar } from './window-calendar.js';
import styles from './rollouts.module.css';

const SHOWN = 8;

type Plan = Schema<'RolloutPlan'>;

interface Props {
  plan: Plan;
  /** How many devices the selector names. */
  total?: number | undefined;
  /** What the devices run now, and what they get. */
  firmware?: ReactNode;
  policy: Pick<Schema<'RolloutPolicy'>, 'windows' | 'timeZone' | 'held'> & Parameters<typeof plannedSpans>[1];
}

/** What a rollout would do to which devices and when, with what it is in conflict, and which devices it leaves out. */
export function PlanView({ plan, total: all, policy, firmware }: Props): ReactNode {
  const { total, offline, waves, needsApproval, estimate, bytesPerStart } = plan;
  return (
    <div className="stack">
      <p>
        <strong>
          {total.toLocaleString('en')} {total === 1 ? 'device takes' : 'devices take'} part
        </strong>
        {all !== undefined && all !== total && <span className="quiet"> of {all.toLocaleString('en')} that match</span>}
        {offline > 0 && (
          <span className="quiet">
            ; {offline.toLocaleString('en')} {offline === 1 ? 'is offline now and is' : 'are offline now and are'}{' '}
            waited for
          </span>
        )}
      </p>
      {firmware}
      <ol className={styles['planWaves']}>
        {waves.map((wave, at) => (
          <li key={at}>
            <div className="row spread">
              <span className="foreign">{wave.name || `Wave ${at + 1}`}</span>
              <span>{wave.total.toLocaleString('en')}</span>
            </div>
            <span className="small quiet foreign">
              {wave.first.join(', ')}
              {wave.total > wave.first.length ? ' …' : ''}
            </span>
          </li>
        ))}
      </ol>
      <Facts
        of={[
          ['Begins', estimate ? <Ago key="begins" at={estimate.beginsAt} /> : 'no window opens within three years'],
          ...(estimate ? ([['Ends, at the earliest', exactText(estimate.endsAt)]] as const) : []),
          ...(bytesPerStart > 0 ? ([['Sent to each device', `${(bytesPerStart / 1e6).toFixed(1)} MB`]] as const) : []),
        ]}
      />
      <PlannedWaves plan={plan} policy={policy} />
      <h3>When devices may start</h3>
      <WindowCalendar policy={policy} from={estimate?.beginsAt} />
      {needsApproval && <Notice tone="warn">So many devices need the approval of a second person.</Notice>}
      <Conflicts plan={plan} isSkipped={policy.held === 'skip'} />
      <NotReady plan={plan} />
      <LeftOut plan={plan} />
    </div>
  );
}

/** The waves over the time that is estimated. */
function PlannedWaves({ plan, policy }: Props): ReactNode {
  if (!plan.estimate) return null;
  const [from, to] = [Date.parse(plan.estimate.beginsAt), Date.parse(plan.estimate.endsAt)];
  const { windows, timeZone } = policy;
  return (
    <>
      <h3>The waves over time</h3>
      <WaveTimeline
        waves={plannedSpans(plan, policy, openSpans(windows, timeZone, { from, to }))}
        windows={windows}
        timeZone={timeZone}
        now={null}
      />
    </>
  );
}

/** Other rollouts that have some of the devices now. */
function Conflicts({ plan: { heldBy }, isSkipped }: { plan: Plan; isSkipped: boolean }): ReactNode {
  if (heldBy.length === 0) return null;
  return (
    <Notice tone="warn">
      <strong>Conflict: other rollouts have some of these devices</strong>
      {heldBy.map(({ rolloutId, name, devices }) => (
        <span key={rolloutId} className="foreign">
          <To to={`/rollouts/${rolloutId}`}>{name}</To>: {devices.toLocaleString('en')}{' '}
          {devices === 1 ? 'device' : 'devices'}
        </span>
      ))}
      <span>
        {isSkipped
          ? 'They are left out. To wait for them, choose it under “Devices of other rollouts”.'
          : 'Each is waited for until the other rollout has done it.'}
      </span>
    </Notice>
  );
}

/** Devices that take part, and would not be done if it started now. */
function NotReady({ plan: { total, ready, notReady } }: { plan: Plan }): ReactNode {
  if (notReady.length === 0) return null;
  return (
    <Notice tone="warn">
      <strong>
        {(total - ready).toLocaleString('en')} of {total.toLocaleString('en')} would not be done if it started now
      </strong>
      {notReady.map(({ reason, devices, first }) => (
        <span key={reason} className="foreign">
          {devices.toLocaleString('en')} {reasonText(reason)}:{' '}
          <span className="quiet">
            {first.slice(0, SHOWN).join(', ')}
            {devices > SHOWN ? ' …' : ''}
          </span>
        </span>
      ))}
    </Notice>
  );
}

function LeftOut({ plan: { skipped, skippedTotal } }: { plan: Plan }): ReactNode {
  if (skippedTotal === 0) return <p className="small quiet">No device is left out.</p>;
  return (
    <Notice tone="warn">
      <strong>
        {skippedTotal.toLocaleString('en')} {skippedTotal === 1 ? 'device is' : 'devices are'} left out
      </strong>
      {grouped(skipped, ({ reason }) => reason).map(([reason, devices]) => (
        <span key={reason} className="foreign">
          {devices.length.toLocaleString('en')} {reasonText(reason)}:{' '}
          <span className="quiet">
            {devices
              .slice(0, SHOWN)
              .map(({ name }) => name)
              .join(', ')}
            {devices.length > SHOWN ? ' …' : ''}
          </span>
        </span>
      ))}
    </Notice>
  );
}
