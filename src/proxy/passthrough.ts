import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Access, type Principal } from '../auth/access.js';
import { LiveStreams, type LiveStream } from '../auth/live-streams.js';
import { Locks } from '../auth/locks.service.js';
import { RateLimits, type NoteField } from '../auth/rate-limits.js';
import { type Device } from '../devices/device.entity.js';
import { DevicesService } from '../devices/devices.service.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { sendProblem } from '../platform/http-server.js';
import { errorFields } from '../platform/log.js';
import { LOG } from '../platform/platform.module.js';
import { toAppError } from '../platform/problem.js';
import { callLimits } from './call-limits.js';
import { Gone } from './gone.js';
import { bulkIntent, checkPath, isBulkPath, singleIntent, type Intent } from './intent.js';
import { statusOfFault } from './proxy-status.js';
import { RedactingSink } from './redacting-sink.js';
import { ReplySink } from './reply-sink.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from './request-headers.js';
import { SecretReads, type CloseRead } from './secret-reads.js';
import { SharedReads, type PassedRequest } from './shared-reads.js';

/*
 * `ANY /v1/devices/{ref}/api/{path}`: the device's own API. A plain Fastify route, since the pipeline of an ordinary
 * controller costs as much as the whole way to the device (bench: 35 to 50 µs of 65). Nothing is parsed: the path is taken
 * raw, bodies flow, status and body come back byte for byte. `Proxy-Status` says whether the device or the gateway speaks.
 */

const PREFIX = '/v1/devices/';

export const PASSED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** How the gateway says no, when it is not the device that does. */
export type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** A way in for operators: where its addresses begin, what they call devices, how it says no. */
export interface Door {
  readonly prefix: string;
  readonly refuse: Refuse;
  /** The references that a name in the address can mean, in the order in which they are tried. */
  readonly refsOf: (name: string) => readonly string[];
}

/** A request of an operator, as far as it is known who asks what of which device. */
type Asked = Pick<PassedRequest, 'deviceId' | 'judged' | 'variant'> & {
  readonly actor: Principal;
  readonly device: Readonly<Device>;
};

@Injectable()
export class Passthrough {
  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SharedReads) private readonly reads: SharedReads,
    @Inject(SecretReads) private readonly secretReads: SecretReads,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(LiveStreams) private readonly streams: LiveStreams,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Adds the route, with a scope of its own in which no body is parsed. */
  register(server: FastifyInstance): void {
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
      scope.setErrorHandler(refuseWithProblem);
      scope.route({
        method: PASSED_METHODS,
        url: `${PREFIX}:ref/api/*`,
        exposeHeadRoute: false,
        bodyLimit: Number.MAX_SAFE_INTEGER, // checked here, with a limit of its own
        handler: (request, reply) => this.handle(request, reply, DOOR),
      });
      done();
    });
  }

  /** Answers a request whose address begins with the prefix of `door` and the name of a device. */
  async handle(request: FastifyRequest, reply: FastifyReply, door: Door): Promise<FastifyReply> {
    const sink = new ReplySink(reply);
    let close: CloseRead | undefined;
    let stream: LiveStream | undefined;
    try {
      const note = (name: string, value: string) => void reply.header(name, value);
      const asked = await this.ask(request, door, note);
      stream = { actor: asked.actor, device: asked.device, end: () => void reply.raw.destroy() };
      this.streams.add(stream);
      const shown = await this.shownTo(asked, sink, note);
      close = shown.close;
      const cacheControl = request.headers['cache-control'];
      await this.reads.pass({ ...asked, sink: shown.sink, cacheControl, gone: whenGone(reply), note });
      shown.sink.end();
      close?.();
    } catch (error) {
      close?.(error);
      if (!reply.sent) door.refuse(error, request, reply);
      else this.breakOff(error, request, sink);
    } finally {
      if (stream) this.streams.remove(stream);
    }
    return reply;
  }

  /** The answer as it is for those who may read secrets, and in the audit where it can hold some; redacted for others. */
  private async shownTo({ actor, deviceId, device, judged }: Asked, sink: ReplySink, note: PassedRequest['note']) {
    const { intent } = judged;
    if (await this.secretReads.mayRead(actor, device, intent.acts)) {
      return { sink, close: await this.secretReads.open(actor, [deviceId], intent.acts) };
    }
    return { sink: new RedactingSink(sink, intent, this.secretReads.redactor, note), close: undefined };
  }

  /** Who asks what, and may they? */
  private async ask(request: FastifyRequest, { prefix, refsOf }: Door, note: NoteField): Promise<Asked> {
    const actor = await this.access.authenticate(request);
    request.actor = actor;
    const asking = this.limits.take(actor, 1, note);
    if (asking) await asking;
    const path = checkPath(rawDevicePath(request.raw.url ?? '', prefix));
    const isBulk = isBulkPath(path);
    let intent: Intent = singleIntent(request.method, path);
    // A bulk request is judged by what is in it; reading it asks for the right to read at least.
    this.access.require(actor, isBulk ? 'device.call_read' : permissionOf(intent.writes));
    const device = await this.resolve(refsOf((request.params as { ref: string }).ref));
    if (isBulk) actor.rights.admit({ action: 'device.call_read', device });
    else judge(actor, device, intent);
    this.locks.refuseDevice(device);
    const { DEVICE_BODY_LIMIT_BYTES: limitBytes, BODY_LIMIT_BYTES } = this.config;
    const rules = isBulk ? { limitBytes, wholeUpTo: BODY_LIMIT_BYTES } : { limitBytes };
    let body = hasBody(request) ? await requestBody(request.raw, rules) : null;
    if (isBulk) {
      ({ intent, body } = bulkIntent(request.method, path, Buffer.isBuffer(body) ? body : Buffer.alloc(0)));
      judge(actor, device, intent);
    }
    if (intent.writes) this.locks.refuseWrites();
    const { accept, 'content-type': contentType, 'content-length': length } = request.headers;
    const contentLength = body instanceof Readable ? length : undefined;
    const headers = requestHeaders({ accept, contentType, contentLength, requestId: request.id });
    const variant = `${accept ?? ''}\n${contentType ?? ''}`;
    const judged = { intent, body, headers, limits: callLimits(intent, limitBytes) };
    return { actor, device, deviceId: device.id, variant, judged };
  }

  /** @throws AppError `device_not_found` when none of the references is that of a device */
  async resolve(refs: readonly string[]): Promise<Readonly<Device>> {
    for (const ref of refs.slice(0, -1)) {
      try {
        return await this.devices.resolve(ref);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'device_not_found') throw error;
      }
    }
    return this.devices.resolve(refs.at(-1) ?? '');
  }

  /** The head of the device's answer has gone out, so all that is left to say is that the rest does not come. */
  private breakOff(error: unknown, request: FastifyRequest, sink: ReplySink): void {
    sink.cut();
    this.log.info(
      { requestId: request.id, ...errorFields(error) },
      'The answer of a device broke off on its way through',
    );
  }
}

/** The gateway speaks itself: a problem document, told from an answer of the device by its `Proxy-Status`. */
function refuseWithProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  markRefusal(toAppError(thrown), request, reply);
  sendProblem(thrown, request, reply);
}

const DOOR: Door = { prefix: PREFIX, refuse: refuseWithProblem, refsOf: (name) => [name] };

/** The headers that say that the gateway speaks, and that end a connection whose request was not read to its end. */
export function markRefusal(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('proxy-status', statusOfFault(error.code));
  // A body that was not read would be taken for the next request, or must be waited for.
  if (!request.raw.readableEnded && hasBody(request)) void reply.header('connection', 'close');
}

/**
 * Judges each act by itself, those of a bulk request too.
 * @throws AppError `forbidden`, `device_not_found` for a device out of sight
 */
function judge({ rights }: Principal, device: Readonly<Device>, { acts }: Intent): void {
  for (const { writes, path } of acts) rights.admit({ action: permissionOf(writes), device, path });
}

const permissionOf = (writes: boolean) => (writes ? 'device.call_write' : 'device.call_read');

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The part of the request line that is the device's, as it was sent. */
export function rawDevicePath(url: string, prefix: string): string {
  const cut = url.startsWith(prefix) ? url.indexOf('/', prefix.length) : -1;
  if (cut < 0) throw new AppError('path_refused', { reason: 'the address is not in origin form' });
  return url.slice(cut);
}

/** Happens when the caller is gone before the answer is complete. */
function whenGone(reply: FastifyReply): Gone {
  const gone = new Gone();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.happen();
  });
  return gone;
}
