import { appendFileSync } from 'node:fs';
import { expect, TestRunner } from 'vitest';

/*
 * What the browser tests measure, for the table that `npm run test:console` prints. A row of the table holds where each of its
 * figures does.
 */

/** `B1` to `B13`. */
export type Row = `B${number}`;

interface Figure {
  readonly row: Row;
  /** What was measured, with its unit. */
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  /** The row holds, whatever the value is. */
  readonly isOnlyPrinted?: boolean;
}

/** Writes a figure down, then fails the test where it is above its limit. */
export function expectAtMost(row: Row, what: string, value: number, limit: number): void {
  note({ row, what, value, limit });
  expect({ what, value: Math.max(value, limit) }).toEqual({ what, value: limit });
}

/** As `expectAtMost`; where the machine may be slow (CONSOLE_TIMES=print, as in CI), the figure is only written down. */
export function expectTimeAtMost(row: Row, what: string, value: number, limit: number): void {
  if (process.env['CONSOLE_TIMES'] !== 'print') return expectAtMost(row, what, value, limit);
  note({ row, what, value, limit, isOnlyPrinted: true });
  expect(value).toBeGreaterThanOrEqual(0);
}

/** Counts what is wrong: the list has to be empty. */
export function expectNone(row: Row, what: string, wrong: readonly string[]): void {
  note({ row, what, value: wrong.length, limit: 0 });
  expect({ what, wrong }).toEqual({ what, wrong: [] });
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

/** With its test and the process of the run: of a file that runs again, the table takes the last run alone. */
function note(figure: Figure): void {
  const file = process.env['CONSOLE_FIGURES'];
  if (!file) return;
  const value = Math.round(figure.value * 1000) / 1000;
  const line = { ...figure, value, test: TestRunner.getCurrentTest()?.id ?? null, run: process.ppid };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
