import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { StateMark } from '../../ui/mark.js';
import { Ago, useNow } from '../../ui/time.js';
import { CellGrid } from '../../ui/devices/cell-grid.js';
import { SpecFacts } from '../job-forms/shown/spec-facts.js';
import { effectOf, type Kind } from '../jobs/acting/effects.js';
import { kindTitle } from '../jobs/kinds.js';
import { CountBar, countsText } from './count-bar.js';
import { gateText } from './plan/policy-words.js';
import { useWaveCells } from './pictures/use-wave-cells.js';
import { liveSpans, openAhead } from './pictures/wave-times.js';
import { LaneCaption, timeScale, TimeTicks, WaveLane } from './pictures/wave-timeline.js';
import { endedOf, takingPart } from './forecast.js';
import styles from './rollouts.module.css';

type Rollout = Schema<'RolloutWithWaves'>;
type Wave = Rollout['waves'][number];

/** The waves in their order: a cell for each device, filled as it ends, below it the wave over time, and what the wave waits for. */
export function Waves({ rollout }: { rollout: Rollout }): ReactNode {
  const cells = useWaveCells(rollout);
  const now = useNow();
  const isOpen = rollout.endedAt === null;
  const hasBegun = rollout.waves.some(({ startedAt }) => startedAt !== null);
  const { windows, timeZone } = rollout.policy;
  const spans = hasBegun ? liveSpans(rollout, now, openAhead(rollout.policy, now)) : [];
  const scale = timeScale({ waves: spans, windows: isOpen ? windows : [], timeZone, now: isOpen ? now : null });
  return (
    <ol className={styles['waves']} aria-label="Waves">
      {rollout.waves.map((wave, at) =>
        isEmpty(rollout, wave) ? null : (
          <li key={wave.ordinal}>
            <div>
              <span className="foreign">{wave.name}</span>
              <div className="small quiet">{ruleText(rollout, wave)}</div>
            </div>
            <div className={styles['wave']}>
              {cells ? (
                <div className={styles['countBar']}>
                  <CellGrid cells={cells(wave.ordinal)} label={countsText(wave.counts)} />
                  <span className="small quiet">{countsText(wave.counts)}</span>
                </div>
              ) : (
                <CountBar counts={wave.counts} />
              )}
              {scale && spans[at] && <WaveLane of={spans[at]} scale={scale} />}
            </div>
            <WaveState rollout={rollout} wave={wave} startsAt={spans[at]?.rest?.from} />
          </li>
        ),
      )}
      {scale && (
        <li>
          <span className="small quiet">Over time</span>
          <div>
            <TimeTicks {...scale} />
            <LaneCaption waves={spans} scale={scale} timeZone={timeZone} />
          </div>
        </li>
      )}
    </ol>
  );
}

/** Of fewer devices than waves some waves have none: they say nothing. */
const isEmpty = ({ counts, waves }: Rollout, wave: Wave): boolean =>
  takingPart(counts) < waves.length && Object.values(wave.counts).every((count) => count === 0);

function ruleText({ policy }: Rollout, { ordinal }: Wave): string {
  const rule = policy.waves[ordinal];
  if (!rule) return 'devices that no wave takes';
  return gateText(rule.successPercent, rule.soakMinutes);
}

interface WaveStateProps {
  rollout: Rollout;
  wave: Wave;
  /** At the speed until now; absent: it cannot be said. */
  startsAt: number | undefined;
}

function WaveState({ rollout, wave, startsAt }: WaveStateProps): ReactNode {
  const previous = rollout.waves.find(({ ordinal }) => ordinal === wave.ordinal - 1);
  const isNext = rollout.state === 'running' && wave.state === 'waiting' && previous && previous.state !== 'waiting';
  const waits = wave.state === 'waiting' && wave.gate === 'manual' && !wave.promoted;
  const isOpen = !['finished', 'aborted', 'aborting', 'draft'].includes(rollout.state);
  return (
    <div className="row">
      {wave.state === 'soaking' && wave.soakUntil && (
        <span className="small quiet">
          ends <Ago at={wave.soakUntil} />
        </span>
      )}
      {isNext && !waits && (
        <span className="small quiet foreign">
          {startsAt === undefined ? (
            `starts after ${previous.name}`
          ) : (
            <>
              starts about <Ago at={startsAt} />
            </>
          )}
        </span>
      )}
      {waits && isOpen ? (
        <Promote rollout={rollout} wave={wave} startsAt={startsAt} />
      ) : (
        <StateMark state={shownState(rollout, wave)} />
      )}
    </div>
  );
}

/** Nothing of a draft waits already, and nothing of a paused rollout starts. */
function shownState({ state }: Rollout, wave: Wave): string {
  if (state === 'draft' && wave.state === 'waiting') return 'planned';
  if (state === 'aborted' && wave.state === 'waiting') return 'cancelled';
  return state === 'paused' && wave.state === 'running' ? 'paused' : wave.state;
}

/** Starts a wave that waits for a person, or lets it start by itself after those before it. */
function Promote({ rollout, wave, startsAt }: WaveStateProps): ReactNode {
  const may = useMay('rollout.manage');
  const [isOpen, setOpen] = useState(false);
  const amount = countText(takingPart(wave.counts), 'device');
  const before = waveBefore(rollout, wave);
  if (!may) return <span className="small quiet">waits for a person</span>;
  return (
    <div className="stack">
      <Button
        kind={before ? 'plain' : 'primary'}
        icon="play"
        title={`fleetgate rollout promote ${rollout.id} ${wave.ordinal + 1}`}
        onClick={() => setOpen(true)}
      >
        <span className="foreign cut">
          {before ? `Promote: let ${wave.name} follow, ${amount}` : `Promote: start ${wave.name} now, ${amount}`}
        </span>
      </Button>
      <span className="small quiet foreign">
        {before
          ? `It waits for a person. Promoted, it starts by itself as soon as ${before.name} has passed.`
          : 'It waits for a person. Its devices start at once, as many together as the limits allow.'}
        {before && startsAt !== undefined && (
          <>
            {' '}
            That is about <Ago at={startsAt} />.
          </>
        )}
      </span>
      {isOpen && <PromoteDialog rollout={rollout} wave={wave} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface PromoteDialogProps {
  rollout: Rollout;
  wave: Wave;
  onClose: () => void;
}

/** Says what begins on how many routers: the button stands among figures that a person only reads. */
function PromoteDialog({ rollout, wave, onClose }: PromoteDialogProps): ReactNode {
  const { id, kind, name, counts, spec } = rollout;
  const before = waveBefore(rollout, wave);
  const promote = useAction({
    run: () =>
      api.post('/v1/rollouts/{rolloutId}/waves/{ordinal}/promote', {
        params: { path: { rolloutId: id, ordinal: wave.ordinal } },
      }),
    done: before ? `Promoted ${wave.name}: it starts when those before it have passed` : `Started ${wave.name}`,
    refreshes: ['rollouts', 'rollout'],
    after: onClose,
  });
  return (
    <FormDialog
      title={before ? `Promote ${wave.name}` : `Start ${wave.name} now`}
      send={before ? 'Promote' : `Start ${countText(takingPart(wave.counts), 'device')}`}
      busy={promote.isPending}
      onSend={() => promote.mutate()}
      onClose={onClose}
    >
      <p>
        <strong className="foreign">{name}</strong>: {kindTitle(kind).toLowerCase()} on{' '}
        {countText(takingPart(wave.counts), 'device')}{' '}
        {before ? `as soon as ${before.name} has passed` : 'at once, as many together as the limits allow'}. It can be
        paused and aborted.
      </p>
      {endedOf(counts) > 0 && (
        <p>
          So far {numberText(counts.succeeded)} of {numberText(endedOf(counts))} succeeded.
        </p>
      )}
      <p className="quiet">Interrupts: {effectOf(kind as Kind).interrupts.toLowerCase()}.</p>
      {kind === 'firmware' && <SpecFacts kind={kind} spec={spec} label="Parameters of the rollout" />}
      <EquivalentLines
        command={`rollout promote ${id} ${wave.ordinal + 1}`}
        method="POST"
        path={`/v1/rollouts/${id}/waves/${wave.ordinal}/promote`}
      />
    </FormDialog>
  );
}

/** The last wave before one that has not passed so far. */
const waveBefore = ({ waves }: Rollout, wave: Wave): Wave | undefined =>
  waves.findLast(({ ordinal, state }) => ordinal < wave.ordinal && !PASSED.has(state));

const PASSED = new Set(['passed', 'accepted']);
