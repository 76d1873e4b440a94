import { type ReactNode } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Notice } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago, durationText, exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { openSpans, plannedSpans } from './pictures/wave-times.js';
import { WaveTimeline } from './pictures/wave-timeline.js';
import { secondsText } from '../jobs/acting/away.js';
import { effectOf, type Kind } from '../jobs/acting/effects.js';
import { type TypicalTime } from './plan/typical-time.js';
import { planSums, type PlanSums } from './plan/plan-sums.js';
import { reasonText } from './reasons.js';
import { WindowCalendar } from './window-calendar.js';
import styles from './rollouts.module.css';

const SHOWN = 8;

type Plan = Schema<'RolloutPlan'>;

interface Props {
  plan: Plan;
  kind: Kind;
  /** What the devices run now, and what they get. */
  firmware?: ReactNode;
  policy: Pick<Schema<'RolloutPolicy'>, 'windows' | 'timeZone' | 'held'> & Parameters<typeof plannedSpans>[1];
  /** How long one device took until now; null: it is not known. */
  typical?: TypicalTime | null;
  /** The image comes from the vendor. */
  isVendor?: boolean;
  /** How many have what they would get. If all have, nothing would be interrupted, and nothing takes time. */
  same?: number;
  /** Chooses the other answer to devices of other rollouts; absent: that is not to be chosen here. */
  onHeld?: ((held: 'skip' | 'wait') => void) | undefined;
}

/** What a rollout would do to which devices and when, with what it is in conflict, and which devices it leaves out. */
export function PlanView(props: Props): ReactNode {
  const { plan, kind, policy, firmware, typical = null, same = 0, isVendor, onHeld } = props;
  const { total, waves, needsApproval, bytesPerStart } = plan;
  return (
    <div className="stack">
      <Sums {...planSums(plan, same, isVendor)} />
      <Conflicts plan={plan} held={policy.held} onHeld={onHeld} />
      {needsApproval && <Notice tone="warn">So many devices need the approval of a second person.</Notice>}
      {firmware}
      {total > same && (
        <>
          <ol className={styles['planWaves']}>
            {waves.map((wave, at) =>
              wave.total === 0 && total < waves.length ? null : (
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
              ),
            )}
          </ol>
          {bytesPerStart > 0 && <Facts of={[['Sent to each device', `${(bytesPerStart / 1e6).toFixed(1)} MB`]]} />}
          <PlannedTimes plan={plan} kind={kind} policy={policy} typical={typical} />
        </>
      )}
    </div>
  );
}

/** When it begins and ends, and the waves between: at the speed of such jobs until now, else as slow as is allowed. */
function PlannedTimes({ plan, kind, policy, typical = null }: Props): ReactNode {
  const { estimate } = plan;
  if (!estimate) return <Notice tone="warn">No window opens within three years: no device would start.</Notice>;
  const { windows, timeZone } = policy;
  const open = openSpans(windows, timeZone, { from: Date.parse(estimate.beginsAt), to: Date.parse(estimate.endsAt) });
  const spans = plannedSpans(plan, policy, open, typical?.ms);
  const end = Math.max(...spans.map(({ soak, rest }) => soak?.to ?? rest?.to ?? 0));
  const basis = typical
    ? basisText(typical)
    : 'No such job has succeeded so far: each device is given all the time that it may take';
  return (
    <>
      <Facts
        of={[
          ['Interrupts', effectOf(kind).interrupts],
          ['Begins', <Ago key="begins" at={estimate.beginsAt} />],
          [typical ? 'Ends about' : 'Ends, at the latest', `${exactText(end)}${waitText(plan)}`],
        ]}
      />
      <p className="small quiet">{basis}.</p>
      <WaveTimeline waves={spans} windows={windows} timeZone={timeZone} now={null} />
      {windows.length > 0 && (
        <>
          <h3>When devices may start</h3>
          <WindowCalendar policy={policy} from={estimate.beginsAt} />
        </>
      )}
    </>
  );
}

function basisText({ ms, jobs, awaySeconds }: TypicalTime): string {
  const away = awaySeconds === null ? '' : `, ${secondsText(awaySeconds)} of it without an answer`;
  return `About ${durationText(ms)} for one device${away}, as the newest ${countText(jobs, 'such job')} took`;
}

/** Devices that nothing can be sent to now have no time in the estimate. */
function waitText({ notReady }: Plan): string {
  const away = notReady.filter(({ reason }) => reason === 'offline' || reason === 'locked');
  if (away.length === 0) return '';
  return `, without what is ${away.map(({ reason }) => reason).join(' or ')} now`;
}

interface ConflictsProps extends Pick<Props, 'plan' | 'onHeld'> {
  held: 'skip' | 'wait';
}

/** What happens with devices that other rollouts have now, and the other way to go on with them. */
function Conflicts({ plan: { heldBy }, held, onHeld }: ConflictsProps): ReactNode {
  if (heldBy.length === 0) return null;
  const all = heldBy.reduce((sum, { devices }) => sum + devices, 0);
  const [they, are] = [pluralText(all, 'it', 'they'), pluralText(all, 'is', 'are')];
  return (
    <Notice>
      <strong>
        {countText(all, 'device')} {pluralText(all, 'belongs', 'belong')} to another rollout now:{' '}
        {held === 'skip' ? `${they} ${are} left out` : `${they} ${are} waited for`}
      </strong>
      {heldBy.map(({ rolloutId, name, devices }) => (
        <span key={rolloutId} className="foreign">
          <To to={`/rollouts/${rolloutId}`}>{name}</To>: {countText(devices, 'device')}
        </span>
      ))}
      <span>
        {held === 'skip'
          ? 'Nothing is sent to what is left out, now or later.'
          : 'Each starts as soon as the other rollout has done it.'}
      </span>
      {onHeld && (
        <div>
          <Button onClick={() => onHeld(held === 'skip' ? 'wait' : 'skip')}>
            {held === 'skip'
              ? `Wait for ${pluralText(all, 'it', 'them')} instead`
              : `Leave ${pluralText(all, 'it', 'them')} out instead`}
          </Button>
        </div>
      )}
    </Notice>
  );
}

/** Devices that take part, and cannot start now. */
export function NotReady({
  plan: { total, ready, notReady },
}: {
  plan: Pick<Plan, 'total' | 'ready' | 'notReady'>;
}): ReactNode {
  if (notReady.length === 0) return null;
  return (
    <Notice tone="warn">
      <strong>
        {(total - ready).toLocaleString('en')} of {total.toLocaleString('en')} cannot start now
      </strong>
      {notReady.map(({ reason, devices, first }) => (
        <span key={reason} className="foreign">
          {devices.toLocaleString('en')} {reasonText(reason)}: <Names of={first} all={devices} />
        </span>
      ))}
    </Notice>
  );
}

/** How many start now, and the sum that says why not all. What needs an act of a person is marked. */
function Sums({ headline, lines }: PlanSums): ReactNode {
  return (
    <>
      <p>
        <strong>{headline}</strong>
      </p>
      {lines.length > 0 && (
        <ul className={styles['sums']} aria-label="Devices of the plan">
          {lines.map(({ text, isLess, needsAct, names, devices }) => (
            <li key={text} className="foreign" data-less={isLess || undefined} data-act={needsAct || undefined}>
              {isLess ? '− ' : ''}
              {text}
              {names.length > 0 && (
                <>
                  : <Names of={names} all={devices} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Names({ of, all }: { of: readonly string[]; all: number }): ReactNode {
  return (
    <span className="quiet">
      {of.slice(0, SHOWN).join(', ')}
      {all > SHOWN ? ' …' : ''}
    </span>
  );
}
