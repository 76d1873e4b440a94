import { Readable } from 'node:stream';
import { Body, Controller, Headers, Inject, Post, Res, StreamableFile } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Access } from '../auth/access.js';
import { type Actor } from '../platform/actor.js';
import { CurrentActor, Endpoint } from '../platform/endpoint.js';
import { AppError } from '../platform/errors.js';
import { Idempotency } from '../platform/idempotency.js';
import { FanOut } from './fan-out.js';
import { fanOutInput, type FanOutInput, type FanOutLine } from './fan-out.contract.js';
import { checkPath } from './intent.js';

type Format = 'ndjson' | 'sse';

const TYPES: Readonly<Record<Format, string>> = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' };

@Controller('v1/fan-out')
export class FanOutController {
  constructor(
    @Inject(FanOut) private readonly fanOut: FanOut,
    @Inject(Access) private readonly access: Access,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Calls all devices of a selector and answers as they do',
    description:
      'NDJSON, or server-sent events with Accept: text/event-stream: a line per device as it comes, a summary last. ' +
      'Answers that are the same share a digest, and only the first comes with its body. Calls that write need ' +
      '`device.call_write` and an Idempotency-Key; sent again with the same key, they are not made again. ' +
      'Whoever closes the connection stops the calls that have not begun.',
    permission: 'device.call_read',
    audit: 'device.call_write',
    produces: 'application/x-ndjson',
    errors: [
      'invalid_selector',
      'path_refused',
      'idempotency_key_required',
      'idempotency_key_reused',
      'idempotency_key_running',
    ],
  })
  async run(
    @Body({ schema: fanOutInput }) body: FanOutInput,
    @Headers('accept') accept: string | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @CurrentActor() actor: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const calls = body.requests ?? [body.request!];
    for (const { path } of calls) checkPath(path);
    if (calls.length > 1 && calls.some(({ path }) => path.startsWith('/api/bulk'))) {
      throw new AppError('path_refused', {
        reason: 'several requests become one bulk request, which cannot hold another',
      });
    }
    const writes = calls.some(({ method }) => method !== 'GET');
    if (writes) this.access.require(actor, 'device.call_write');
    const format: Format = accept?.includes('text/event-stream') ? 'sse' : 'ndjson';
    const lines = writes && !body.dryRun ? this.once(key, body, actor, reply) : this.fanOut.start(body, actor);
    return new StreamableFile(Readable.from(written(await lines, format), { objectMode: false }), {
      type: TYPES[format],
    });
  }

  /** A fan-out that writes is carried out once for its key; whoever sends it again gets the lines without the bodies. */
  private async once(key: string | undefined, body: FanOutInput, actor: Actor, reply: FastifyReply) {
    const before = await this.idempotency.begin(key, actor, body);
    if (before !== null) {
      void reply.header('idempotency-replayed', 'true');
      return (JSON.parse(before) as FanOutLine[]).values();
    }
    try {
      return this.remembering(key!, await this.fanOut.start(body, actor), actor);
    } catch (error) {
      await this.idempotency.release(key!, actor);
      throw error;
    }
  }

  private async *remembering(key: string, lines: AsyncIterable<FanOutLine>, actor: Actor): AsyncGenerator<FanOutLine> {
    const kept: unknown[] = [];
    try {
      for await (const line of lines) {
        // Bodies of devices can hold secrets, so they are not kept.
        const { body: _body, ...rest } = line as FanOutLine & { body?: unknown };
        kept.push(rest);
        yield line;
      }
    } finally {
      const last = kept.at(-1) as FanOutLine | undefined;
      if (last?.type !== 'summary') kept.push({ type: 'broken_off', reason: 'the connection of the sender closed' });
      await this.idempotency.finish(key, actor, JSON.stringify(kept));
    }
  }
}

async function* written(
  lines: AsyncIterable<FanOutLine> | Iterable<FanOutLine>,
  format: Format,
): AsyncGenerator<string> {
  for await (const line of lines) {
    const json = JSON.stringify(line);
    yield format === 'sse' ? `event: ${line.type}\ndata: ${json}\n\n` : `${json}\n`;
  }
}
