import { Readable } from 'node:stream';
import { Body, Controller, Headers, Inject, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../platform/http/endpoint.js';
import { Idempotency } from '../platform/http/idempotency.js';
import { FanOut } from './fan-out.js';
import { FanOutChecks } from './fan-out-checks.js';
import { fanOutInput, fanOutLine, type FanOutInput, type FanOutLine } from './fan-out.contract.js';
import { type FanOutReader, FanOutReaders, requireReader } from './fan-out-readers.js';
import { keptAlive } from './kept-alive.js';
import { LineChannel } from './line-channel.js';
import { lineJson } from './result-lines.js';
import { StoredFanOuts } from './stored-fan-outs.js';

type Format = 'ndjson' | 'sse';

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' };

/** The longest silence while devices think: proxies in front give up after 60 s. */
const SILENCE_MS = 15_000;

/** What says that the stream lives: a comment, and a space, which JSON allows before the next line. */
const KEEP_ALIVE: Readonly<Record<Format, string>> = { ndjson: ' ', sse: ':\n\n' };

@ApiTags('Fan-out')
@Controller('v1/fan-out')
export class FanOutController {
  constructor(
    @Inject(FanOut) private readonly fanOut: FanOut,
    @Inject(FanOutReaders) private readonly readers: FanOutReaders,
    @Inject(FanOutChecks) private readonly checks: FanOutChecks,
    @Inject(StoredFanOuts) private readonly fanOuts: StoredFanOuts,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Calls all devices of a selector and streams their answers',
    description:
      'NDJSON, or server-sent events with Accept: text/event-stream: a line for each device as it answers, then a summary. ' +
      'After 15 s of silence a comment or a space shows that the stream lives. Equal answers have the same digest, and only the first has its body. Calls that write need ' +
      '`device.call_write` and an Idempotency-Key; a repeated request with the same key does not call again. ' +
      'A closed connection stops the calls that have not started. With `keep` outcomes and answers are stored: the first line has the ' +
      'id for /v1/fan-outs, and the calls continue without a reader. Devices that you do not see are left out; those ' +
      'that you may not call in this way are skipped as `forbidden`. Writes to more than APPROVAL_DEVICES devices need the approval ' +
      'of a second person: they answer `approval_required` until sent with `Approval-Id`.',
    permission: 'device.call_read',
    audit: 'device.call_write',
    scans: true,
    replay: 'by the route',
    whileLocked: true, // it may only read; writes are refused below
    produces: { 'application/x-ndjson': { schema: fanOutLine }, 'text/event-stream': { schema: fanOutLine } },
    headers: {
      'Approval-Id': {
        description: 'The approval of a second person, after it was given',
        example: '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4',
      },
    },
    errors: [
      'invalid_selector',
      'selection_changed',
      'path_refused',
      'redaction_marker',
      'idempotency_key_required',
      'idempotency_key_reused',
      'idempotency_key_running',
      'idempotency_answer_withheld',
      'change_reason_required',
      'approval_required',
      'approval_not_found',
      'approval_over',
      'approval_mismatch',
      'step_up_required',
      'too_many_fan_outs',
      'too_many_streams',
      'shutting_down',
    ],
  })
  async run(
    @Body({ schema: fanOutInput }) body: FanOutInput,
    @Headers('accept') accept: string | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('approval-id') approvalId: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const writes = this.checks.check(body, actor);
    const format: Format = accept?.includes('text/event-stream') ? 'sse' : 'ndjson';
    if (body.keep)
      return streamOf(await this.stored(writes ? key : null, body, actor, approvalId, reply, format), format);
    const reader = this.readers.register(actor, reply.raw);
    const lines =
      writes && !body.dryRun
        ? this.once(key, body, actor, approvalId, reply, reader)
        : this.fanOut.run(await this.fanOut.members(body, actor), body, actor, reader);
    return streamOf(reader.pass(written(await lines, format)), format);
  }

  /**
   * A stored fan-out, which continues without its reader.
   * @param key the Idempotency-Key of a write; null: it reads
   */
  private async stored(
    key: string | null | undefined,
    body: FanOutInput,
    actor: Principal,
    approvalId: string | undefined,
    reply: FastifyReply,
    format: Format,
  ): Promise<AsyncGenerator<string>> {
    const reader = this.readers.follow(reply.raw, () => undefined);
    const before = key === null ? null : await this.idempotency.begin(key, actor, body);
    if (before !== null) {
      void reply.header('idempotency-replayed', 'true');
      return reader.pass(written([JSON.parse(before) as FanOutLine[]], format));
    }
    const channel = new LineChannel();
    let fanOutId: string;
    try {
      const requireCaller = () => requireReader(reply.raw);
      fanOutId = await this.fanOuts.start(
        { input: body, writes: key !== null, actor, approvalId, requireCaller },
        channel,
      );
    } catch (error) {
      if (key != null) await this.idempotency.release(key, actor);
      throw error;
    }
    if (reader.cancellation.isCancelled) channel.leave();
    else reader.cancellation.onCancel(() => channel.leave());
    const started: FanOutLine = { type: 'started', fanOutId };
    if (key != null) await this.idempotency.finish(key, actor, JSON.stringify([started]));
    return reader.pass(written(channel.lines(), format));
  }

  /**
   * A writing fan-out is executed once for its key. A repeated request gets the lines without the bodies. One whose
   * reader disconnects before the first call calls no device, so its key and its approval stay unused.
   */
  private async once(
    key: string | undefined,
    body: FanOutInput,
    actor: Principal,
    approvalId: string | undefined,
    reply: FastifyReply,
    reader: FanOutReader,
  ) {
    const before = await this.idempotency.begin(key, actor, body);
    if (before !== null) {
      void reply.header('idempotency-replayed', 'true');
      return [JSON.parse(before) as FanOutLine[]];
    }
    try {
      const members = await this.fanOut.members(body, actor);
      const deviceIds = members.filter(({ isAllowed }) => isAllowed).map(({ id }) => id);
      const hasReader = () => requireReader(reply.raw);
      await this.checks.requireForMany(body, { deviceIds, approvalId, hasReader }, actor);
      hasReader();
      const reservation = { hasBegun: false };
      reply.raw.once('close', () => {
        // A key that cannot be released expires after a day, as all do.
        if (!reservation.hasBegun) this.idempotency.release(key!, actor).catch(() => undefined);
      });
      return this.remembering(key!, this.fanOut.run(members, body, actor, reader), actor, reservation);
    } catch (error) {
      await this.idempotency.release(key!, actor);
      throw error;
    }
  }

  private async *remembering(
    key: string,
    batches: AsyncIterable<readonly FanOutLine[]>,
    actor: Principal,
    reservation: { hasBegun: boolean },
  ): AsyncGenerator<readonly FanOutLine[]> {
    reservation.hasBegun = true;
    const kept: unknown[] = [];
    try {
      for await (const lines of batches) {
        for (const line of lines) {
          // Bodies of devices may contain secrets, so they are not stored.
          const { body: _body, ...rest } = line as FanOutLine & { body?: unknown };
          kept.push(rest);
        }
        yield lines;
      }
    } finally {
      const last = kept.at(-1) as FanOutLine | undefined;
      if (last?.type !== 'summary') kept.push({ type: 'broken_off', reason: 'the connection of the sender closed' });
      await this.idempotency.finish(key, actor, JSON.stringify(kept));
    }
  }
}

function streamOf(pieces: AsyncGenerator<string>, format: Format): StreamableFile {
  const kept = keptAlive(pieces, KEEP_ALIVE[format], SILENCE_MS);
  return new StreamableFile(Readable.from(kept, { objectMode: false }), { type: TYPES[format] });
}

/** The size of a piece: whether a slow reader takes anything is checked piece by piece. */
const PIECE_CHARACTERS = 64 * 1024;

/** Writes the lines of one moment. */
async function* written(
  batches: AsyncIterable<readonly FanOutLine[]> | Iterable<readonly FanOutLine[]>,
  format: Format,
): AsyncGenerator<string> {
  for await (const lines of batches) {
    let text = '';
    for (const line of lines) {
      const json = lineJson(line);
      text += format === 'sse' ? `event: ${line.type}\ndata: ${json}\n\n` : `${json}\n`;
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}
