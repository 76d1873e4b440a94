import { type Command } from 'commander';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Row } from '../output/cells.js';

/* `fleetgate events`: what happens in the fleet, as it happens. */

interface EventFlags extends GlobalFlags {
  readonly types?: string;
  readonly after?: string;
}

export const eventsCommand = (open: OpenContext): Command =>
  ownCommand<EventFlags>(open, {
    words: 'events',
    summary: 'Prints events as they happen, until Ctrl-C; a lost connection is opened again without a gap',
    examples: [
      'fleetgate events',
      'fleetgate events --types job.ended,device.offline -o ndjson',
      'fleetgate events --after 4711.42 -o ndjson',
    ],
    more: 'docs/reference/events.md lists the types.',
    options: [
      ['--types <types>', 'only these types, such as job.ended or job.*, separated by commas'],
      ['--after <id>', 'begins after the event with this id; 0.0 begins at the oldest'],
    ],
    run: follow,
  });

async function follow(context: Context, { types, after }: EventFlags): Promise<void> {
  const api = await context.api();
  const events = api.events({
    signal: context.interrupted,
    onBreak: ({ message }, pauseMs) =>
      context.say(`${message}; the next attempt is in ${Math.round(pauseMs / 1_000)} s`),
    ...(types === undefined ? {} : { types: types.split(',') }),
    ...(after === undefined ? {} : { lastEventId: after }),
  });
  await context.rows(events as AsyncIterable<Row>, ['at', 'type', 'subject', 'deviceId', 'data'], true);
  context.endWith(EXIT.interrupted);
}
