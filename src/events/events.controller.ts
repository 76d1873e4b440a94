import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { AppError } from '../platform/errors.js';
import { EventLog } from './event-log.js';
import { type EventFilter, type EventLine, type EventPosition } from './event-filter.js';
import { EVENT_TYPES } from './event-types.js';
import { eventsQuery, eventView, type EventsQuery } from './events.contract.js';

const BATCH = 500;

/** The longest silence of a stream, so that no proxy takes the connection for dead. */
const SILENCE_MS = 15_000;

const TYPES = Object.keys(EVENT_TYPES)
  .map((type) => `\`${type}\``)
  .join(', ');

@ApiTags('Events')
@Controller('v1/events')
export class EventsController {
  constructor(@Inject(EventLog) private readonly events: EventLog) {}

  @Get()
  @Endpoint({
    summary: 'Streams events as server-sent events',
    description:
      `Jobs, rollouts and devices that you see: ${TYPES}. Each event has an id. Send the last one that you have as ` +
      '`Last-Event-ID` to miss nothing; `0.0` begins at the oldest. Events are stored for a week.',
    permission: 'device.read',
    scans: false,
    produces: { 'text/event-stream': { schema: eventView } },
    errors: ['too_many_streams'],
    headers: { 'Last-Event-ID': { description: 'The id of the last event that you have', example: '4711.42' } },
  })
  async follow(
    @Query({ schema: eventsQuery }) query: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @CurrentActor() actor: Principal,
  ) {
    const from = lastEventId === undefined ? await this.events.end() : readPosition(lastEventId);
    const filter = { types: query.types ?? [], rights: actor.rights, operatorId: actor.operatorId };
    return new StreamableFile(Readable.from(this.written(from, filter), { objectMode: false }), {
      type: 'text/event-stream',
    });
  }

  private async *written(from: EventPosition, filter: EventFilter): AsyncGenerator<string> {
    // The id alone: a stream that breaks before its first event continues from here, too.
    yield `id: ${from.tx}.${from.id}\n\n`;
    for await (const events of this.events.follow(from, filter, BATCH, SILENCE_MS)) {
      yield events === null ? ':\n\n' : events.map(eventOf).join('');
    }
  }
}

function eventOf({ tx, id, type, ...rest }: EventLine): string {
  return `id: ${tx}.${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

/** The largest `bigint` of Postgres; the end of the stream carries it. */
const BIGINT_MAX = 2n ** 63n - 1n;

/** @throws AppError `invalid_input` for an id that no event can have */
function readPosition(text: string): EventPosition {
  const [, tx, id] = /^(\d{1,19})\.(\d{1,19})$/.exec(text) ?? [];
  if (tx === undefined || id === undefined || BigInt(id) > BIGINT_MAX) {
    const detail = 'must be the id of an event of the stream, such as 4711.42; 0.0 begins at the oldest';
    throw new AppError('invalid_input', { errors: [{ pointer: '/header/last-event-id', detail }] });
  }
  return { tx, id };
}
