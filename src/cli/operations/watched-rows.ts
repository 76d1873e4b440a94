import { setTimeout as pause } from 'node:timers/promises';
import { type Context } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { type Row } from '../output/cells.js';
import { isBreak } from '../watching.js';

/* `--watch` of a list: it is read again and again, until Ctrl-C. A terminal shows the newest; a pipe gets what changed. */

/** Watches a list until the command is interrupted. @throws UsageError for a format that has an end */
export async function watchRows(
  read: () => Promise<readonly Row[]>,
  columns: readonly string[],
  everyMs: number,
  context: Context,
): Promise<void> {
  const { output = 'table' } = context.flags;
  if (output === 'json' || output === 'yaml')
    throw new UsageError(`A watched list has no end, and ${output} has one: use -o ndjson`);
  const readings = repeated(read, everyMs, context);
  if (context.screenLines === null) {
    await context.rows(changed(readings), columns, true);
    return;
  }
  for await (const rows of readings) {
    const time = new Date().toTimeString().slice(0, 8);
    await context.redraw(rows, columns, `${time}, every ${everyMs / 1_000} s; Ctrl-C ends it`);
  }
}

/** Reads again after each pause. A gateway that is away is said, and does not end it once there was an answer. */
async function* repeated(
  read: () => Promise<readonly Row[]>,
  everyMs: number,
  context: Context,
): AsyncGenerator<readonly Row[]> {
  yield await read();
  for (;;) {
    await pause(everyMs, undefined, { signal: context.interrupted });
    try {
      yield await read();
    } catch (error) {
      if (context.interrupted.aborted || !isBreak(error)) throw error;
      context.say(`${error.message}; trying again`);
    }
  }
}

/** The rows that are new, or not as they were. */
async function* changed(readings: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  let before = new Map<unknown, string>();
  for await (const rows of readings) {
    const now = new Map<unknown, string>();
    for (const row of rows) {
      const text = JSON.stringify(row);
      const key = row['id'] ?? row['name'] ?? text;
      now.set(key, text);
      if (before.get(key) !== text) yield row;
    }
    before = now;
  }
}
