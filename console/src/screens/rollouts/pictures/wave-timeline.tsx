import { type ReactNode } from 'react';
import { exactText } from '../../../ui/time.js';
import styles from './pictures.module.css';
import { openSpans, type Span, type WaveSpan } from './wave-times.js';

interface WaveTimelineProps {
  waves: readonly WaveSpan[];
  windows: Parameters<typeof openSpans>[0];
  timeZone: string;
  /** The line of now, in milliseconds; null: it does not run. */
  now: number | null;
}

const TICKS = 4;

/** Fewer where two would show the same second, or the next one would end behind the end. */
const ticksOf = ({ from, to }: Span): number => Math.max(1, Math.min(TICKS, Math.floor((to - from) / 1_000)));

export interface TimeScale extends Span {
  /** When the window is open. */
  readonly open: readonly Span[];
  readonly now: number | null;
}

/** From the first begin to the last end; null: nothing is known of them. */
export function timeScale({ waves, windows, timeZone, now }: WaveTimelineProps): TimeScale | null {
  const all = waves.flatMap(({ work, rest, soak }) => [work, rest, soak].filter((one) => one !== null));
  if (all.length === 0) return null;
  const marks = now === null ? [] : [now];
  const from = Math.min(...all.map((one) => one.from), ...marks);
  const to = Math.max(...all.map((one) => one.to), ...marks, from + 1_000);
  return { from, to, now, open: openSpans(windows, timeZone, { from, to }) ?? [] };
}

/** A wave over time: what it did, what is expected, its soak, the open windows behind them, and the time now. */
export function WaveLane({ of: { work, rest, soak }, scale }: { of: WaveSpan; scale: TimeScale }): ReactNode {
  const { from, to, open, now } = scale;
  const place = (one: Span) => {
    const [start, end] = [Math.max(from, one.from), Math.min(to, one.to)];
    return { left: `${(100 * (start - from)) / (to - from)}%`, width: `${(100 * (end - start)) / (to - from)}%` };
  };
  return (
    <span className={styles['lane']} role="img" aria-label={laneText(work, rest, soak)}>
      {open.map((one) => (
        <i key={one.from} className={styles['open']} style={place(one)} />
      ))}
      {work && <i className={styles['work']} style={place(work)} title={spanText(work)} />}
      {rest && <i className={styles['work']} data-guess style={place(rest)} title={`Expected: ${spanText(rest)}`} />}
      {soak && <i className={styles['soak']} style={place(soak)} title={`Soak: ${spanText(soak)}`} />}
      {now !== null && <b style={{ left: `${(100 * (now - from)) / (to - from)}%` }} />}
    </span>
  );
}

/** What the bars mean. */
export function LaneCaption({
  waves,
  scale,
  timeZone,
}: {
  waves: readonly WaveSpan[];
  scale: TimeScale;
  timeZone: string;
}): ReactNode {
  return (
    <span className="small quiet">
      {waves.some(({ rest }) => rest) ? 'Pale bars are an estimate. ' : ''}
      {waves.some(({ soak }) => soak) ? 'Striped: nothing starts while a wave soaks. ' : ''}
      {scale.open.length > 0 ? `Shaded: the window is open (${timeZone}). ` : ''}
    </span>
  );
}

/** Of fewer devices than waves some waves have none: they say nothing. */
const isEmpty = ({ devices }: WaveSpan, waves: readonly WaveSpan[]): boolean =>
  devices === 0 && waves.reduce((sum, one) => sum + one.devices, 0) < waves.length;

/** The waves over time, a bar for each. */
export function WaveTimeline(props: WaveTimelineProps): ReactNode {
  const { waves, timeZone } = props;
  const scale = timeScale(props);
  if (scale === null) return null;
  return (
    <figure className={styles['timeline']}>
      <ol>
        {waves.map((wave, at) =>
          isEmpty(wave, waves) ? null : (
            <li key={at}>
              <span className="foreign cut" title={wave.name}>
                {wave.name || `Wave ${at + 1}`} <span className="quiet">{wave.devices.toLocaleString('en')}</span>
              </span>
              {wave.devices === 0 ? (
                <span className="small quiet">no devices</span>
              ) : (
                <WaveLane of={wave} scale={scale} />
              )}
            </li>
          ),
        )}
      </ol>
      <div className={styles['below']}>
        <TimeTicks {...scale} />
      </div>
      <figcaption>
        <LaneCaption waves={waves} scale={scale} timeZone={timeZone} />
      </figcaption>
    </figure>
  );
}

/** Of the axis in percent: a time that is nearer to the word `now` is not shown. */
const NOW_WIDTH = 12;

/** The times below the bars, and the word at the line of now. */
export function TimeTicks({ from, to, now = null }: Span & { readonly now?: number | null }): ReactNode {
  const count = ticksOf({ from, to });
  const isLong = to - from > 20 * 3_600_000;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(isLong ? { day: 'numeric', month: 'short' } : {}),
    hour: '2-digit',
    minute: '2-digit',
    ...(to - from < 5 * 60_000 ? { second: '2-digit' } : {}),
  });
  const ticks = Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count);
  const nowAt = now === null ? null : (100 * (now - from)) / (to - from);
  const isFree = (place: number) => nowAt === null || Math.abs(place - nowAt) > NOW_WIDTH;
  return (
    <div className={styles['axis']} aria-hidden="true">
      {ticks.map((at, index) => (
        <span key={at} hidden={!isFree((100 * index) / count)} style={{ left: `${(100 * index) / count}%` }}>
          {format.format(at)}
        </span>
      ))}
      {nowAt !== null && (
        <b style={{ left: `${nowAt}%` }} data-end={nowAt > 100 - NOW_WIDTH || undefined}>
          now
        </b>
      )}
    </div>
  );
}

const spanText = ({ from, to }: Span): string => `${exactText(from)} – ${exactText(to)}`;

function laneText(work: Span | null, rest: Span | null, soak: Span | null): string {
  if (!work && !rest) return 'not known yet';
  const parts = [
    work && spanText(work),
    rest && (work ? `expected until ${exactText(rest.to)}` : `expected ${spanText(rest)}`),
    soak && `soaks until ${exactText(soak.to)}`,
  ];
  return parts.filter(Boolean).join(', ');
}
