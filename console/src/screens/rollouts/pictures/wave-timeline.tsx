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

/** The waves over time: a bar for each, its soak, the open windows behind them, and the time now. */
export function WaveTimeline({ waves, windows, timeZone, now }: WaveTimelineProps): ReactNode {
  const all = waves.flatMap(({ work, rest, soak }) => [work, rest, soak].filter((one) => one !== null));
  if (all.length === 0) return null;
  const marks = now === null ? [] : [now];
  const from = Math.min(...all.map((one) => one.from), ...marks);
  const to = Math.max(...all.map((one) => one.to), ...marks, from + 60_000);
  const place = (one: Span) => ({
    left: `${(100 * (one.from - from)) / (to - from)}%`,
    width: `${(100 * (Math.min(to, one.to) - Math.max(from, one.from))) / (to - from)}%`,
  });
  const open = openSpans(windows, timeZone, { from, to }) ?? [];
  const inside = (one: Span): Span => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) });
  return (
    <figure className={styles['timeline']}>
      <ol>
        {waves.map(({ name, devices, work, rest, soak }, at) => (
          <li key={at}>
            <span className="foreign cut" title={name}>
              {name || `Wave ${at + 1}`} <span className="quiet">{devices.toLocaleString('en')}</span>
            </span>
            <span className={styles['lane']} role="img" aria-label={laneText(work, rest, soak)}>
              {open.map((one) => (
                <i key={one.from} className={styles['open']} style={place(inside(one))} />
              ))}
              {work && <i className={styles['work']} style={place(work)} title={spanText(work)} />}
              {rest && (
                <i className={styles['work']} data-guess style={place(rest)} title={`Expected: ${spanText(rest)}`} />
              )}
              {soak && <i className={styles['soak']} style={place(soak)} title={`Soak: ${spanText(soak)}`} />}
              {now !== null && <b style={{ left: `${(100 * (now - from)) / (to - from)}%` }} />}
            </span>
          </li>
        ))}
      </ol>
      <Axis from={from} to={to} />
      <figcaption className="small quiet">
        {waves.some(({ rest }) => rest) ? 'Pale bars are an estimate. ' : ''}
        {waves.some(({ soak }) => soak) ? 'Striped: nothing starts while a wave soaks. ' : ''}
        {open.length > 0 ? `Shaded: the window is open (${timeZone}). ` : ''}
        {now === null ? '' : 'The line is now.'}
      </figcaption>
    </figure>
  );
}

function Axis({ from, to }: Span): ReactNode {
  const isLong = to - from > 20 * 3_600_000;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(isLong ? { day: 'numeric', month: 'short' } : {}),
    hour: '2-digit',
    minute: '2-digit',
    ...(to - from < 5 * 60_000 ? { second: '2-digit' } : {}),
  });
  const ticks = Array.from({ length: TICKS + 1 }, (_, at) => from + ((to - from) * at) / TICKS);
  return (
    <div className={styles['axis']} aria-hidden="true">
      {ticks.map((at, index) => (
        <span key={at} style={{ left: `${(100 * index) / TICKS}%` }}>
          {format.format(at)}
        </span>
      ))}
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
