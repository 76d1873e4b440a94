import { type ReactNode } from 'react';
import styles from './time-axis.module.css';

const HOUR_MS = 3_600_000;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The axis has room for a word at so small a part of its width, from both ends. */
const [FIRST, LAST] = [0.03, 0.97];

/** Whole hours of the day, or days, below a strip or an area: each at its place. Milliseconds. */
export function TimeAxis({ from, to }: { from: number; to: number }): ReactNode {
  const isLong = to - from > 48 * HOUR_MS;
  const ticks = ticksOf(from, to, isLong ? 24 : (to - from) / HOUR_MS > 12 ? 6 : 1);
  return (
    <div className={`small quiet ${styles['axis']}`} aria-hidden="true">
      {ticks.map((at) => (
        <span key={at} style={{ left: `${(100 * (at - from)) / (to - from)}%` }}>
          {isLong ? DAY.format(at) : CLOCK.format(at)}
        </span>
      ))}
    </div>
  );
}

/** In the time of the reader, also over a change of summer time. */
function ticksOf(from: number, to: number, stepHours: number): number[] {
  const ticks: number[] = [];
  const at = new Date(from);
  at.setMinutes(0, 0, 0);
  for (; at.getTime() <= to; at.setHours(at.getHours() + 1)) {
    const part = (at.getTime() - from) / (to - from);
    if (at.getHours() % stepHours === 0 && part > FIRST && part < LAST) ticks.push(at.getTime());
  }
  return ticks;
}
