import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Ago, useNow } from '../../ui/time.js';
import { countText } from '../../api/amount-text.js';
import { waveName } from './pictures/wave-now.js';
import { FORESEEN_FROM, forecastEnd, openAhead } from './pictures/wave-times.js';
import { failedOf } from './forecast.js';
import styles from './pictures/pictures.module.css';
import parts from './rollouts.module.css';

type Rollout = Schema<'RolloutWithWaves'>;

const NO_STOP: { failures?: number; percent?: number; minimum: number } = { minimum: 0 };

/** How near the rollout is to the thresholds at which it pauses, and when it ends. */
export function Gauges({ rollout }: { rollout: Rollout }): ReactNode {
  const { stop: rule } = rollout.policy;
  const stop = rule === 'never' ? NO_STOP : rule;
  const failed = failedOf(rollout.counts);
  const finished = rollout.counts.succeeded + failed;
  // Of what is over, how near it was to a pause says something only where something failed.
  if (rollout.endedAt !== null && failed === 0)
    return (
      <div className={parts['gauges']}>
        <Forecast rollout={rollout} />
      </div>
    );
  return (
    <div className={parts['gauges']}>
      {stop.failures !== undefined && (
        <Gauge title="Failures" value={failed} limit={stop.failures} text={`${failed}, pauses at ${stop.failures}`} />
      )}
      {stop.percent !== undefined && (
        <Gauge
          title="Share of failures"
          unit=" %"
          value={finished === 0 ? 0 : (100 * failed) / finished}
          limit={stop.percent}
          text={`${finished === 0 ? 0 : Math.round((100 * failed) / finished)} %, pauses at ${stop.percent} %`}
          note={finished < stop.minimum ? `counts from ${stop.minimum} finished devices on` : undefined}
        />
      )}
      {stop.failures === undefined && stop.percent === undefined && (
        <p className="quiet">No threshold is set: it does not pause by itself.</p>
      )}
      <Forecast rollout={rollout} />
    </div>
  );
}

interface GaugeProps {
  title: string;
  value: number;
  limit: number;
  text: string;
  note?: string | undefined;
  /** Behind the numbers of the scale. */
  unit?: string;
}

/** The track ends at a quarter above the limit, which has a line of its own. */
function Gauge({ title, value, limit, text, note, unit = '' }: GaugeProps): ReactNode {
  const top = limit * 1.25;
  const tone = value >= limit ? 'bad' : value >= limit / 2 ? 'warn' : undefined;
  return (
    <div className={parts['gauge']}>
      <h2>{title}</h2>
      <div
        className={parts['gaugeTrack']}
        role="meter"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={top}
        aria-valuenow={Math.min(value, top)}
        aria-valuetext={text}
      >
        <i data-tone={tone} style={{ width: `${Math.min(100, (100 * value) / top)}%` }} />
        <b style={{ left: '80%' }} />
      </div>
      <div className={styles['scale']} aria-hidden="true">
        <span>0</span>
        <span>
          {limit}
          {unit}
        </span>
        <span>
          {Math.round(top * 100) / 100}
          {unit}
        </span>
      </div>
      <span className="small quiet">{text}</span>
      {note && <span className="small quiet">{note}</span>}
    </div>
  );
}

function Forecast({ rollout }: { rollout: Rollout }): ReactNode {
  const now = useNow();
  const end = forecastEnd(rollout, now, openAhead(rollout.policy, now));
  const gated = rollout.waves.find(
    ({ state, gate, promoted }) => state === 'waiting' && gate === 'manual' && !promoted,
  );
  return (
    <div className={parts['gauge']}>
      <h2>{rollout.endedAt ? 'Ended' : 'Expected end'}</h2>
      {rollout.endedAt ? (
        <Ago at={rollout.endedAt} />
      ) : end === null ? (
        <span className="quiet">
          {rollout.state === 'running'
            ? `Not known before ${countText(FORESEEN_FROM, 'device')} have ended`
            : rollout.state === 'paused'
              ? 'After it is resumed'
              : 'It does not run'}
        </span>
      ) : (
        <Ago at={end} />
      )}
      {end !== null && <span className="small quiet">At the speed until now</span>}
      {gated && !rollout.endedAt && (
        <span className="small quiet foreign">Before {waveName(gated.name)} it waits for a person.</span>
      )}
    </div>
  );
}
