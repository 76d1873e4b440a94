import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Access, type Principal } from '../../auth/access/access.js';
import { LiveStream, LiveStreams } from '../../auth/access/live-streams.js';
import { Locks } from '../../auth/access/locks.service.js';
import { RateLimits } from '../../auth/limits/rate-limits.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { ChangeReasons } from '../../platform/change-reasons.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { recordAnswer, sendProblem } from '../../platform/http/http-server.js';
import { errorFields } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { LOG } from '../../platform/platform.module.js';
import { type RedactionStyle } from '../../platform/secrets/redactor.js';
import { toAppError } from '../../platform/http/problem.js';
import { callLimits } from '../calls/call-limits.js';
import { MarkerScan } from '../../device-api/redaction-marker.js';
import { bulkIntent, checkPath, isBulkPath, singleIntent, type CallRequest } from '../connections/call-request.js';
import { statusOfFault } from './proxy-status.js';
import { RedactingSink, type EndingSink } from './redacting-sink.js';
import { ReplySink } from './reply-sink.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from '../calls/request-headers.js';
import { SecretReads, type CloseRead } from '../calls/secret-reads.js';
import { SharedReads, type PassedRequest } from '../calls/shared-reads.js';

/*
 * `ANY /v1/devices/{ref}/api/{path}`: the device's own API. A plain Fastify route, since the pipeline of an ordinary
 * controller costs as much as the whole way to the device (bench: 35 to 50 µs of 65). Nothing is parsed: the path is taken
 * raw, bodies flow, status and body come back byte for byte. `Proxy-Status` says whether the device or the gateway speaks.
 */

const PREFIX = '/v1/devices/';
const ROUTE = `${PREFIX}:ref/api/*`;

export const PASSED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** How the gateway says no, when it is not the device that does. */
type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** A way in for operators: where its addresses begin, what they call devices, how it says no. */
export interface Door {
  readonly prefix: string;
  /** As it stands in the metrics. */
  readonly route: string;
  readonly refuse: Refuse;
  /** The references that a name in the address can mean, in the order in which they are tried. */
  readonly refsOf: (name: string) => readonly string[];
  readonly redaction: RedactionStyle;
}

/** A request of an operator, once it is known who asks what of which device, and that they may. */
type Asked = Pick<PassedRequest, 'judged' | 'variant'> & {
  readonly actor: Principal;
  readonly device: Readonly<Device>;
};

/** A request that is known with its body, and the body to send. */
type Whole = Pick<PassedRequest['judged'], 'intent' | 'body'>;

/** One request on its way through, with what must be done when it is over. */
class Visit {
  readonly startedAt = performance.now();
  readonly sink: ReplySink;
  /** `sink`, or what stands in front of it for this caller. */
  shown: EndingSink;
  close: CloseRead | null = null;
  stream: LiveStream | null = null;
  /** Why a part of its body was held back: the caller may not send it any more, or it holds a redaction marker. */
  refusal: AppError | null = null;
  /** Adds a header to the answer, whoever gives it. */
  readonly note = (name: string, value: string): void => this.sink.note(name, value);

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    readonly door: Door,
    answered: () => void,
  ) {
    this.sink = new ReplySink(reply, answered);
    this.shown = this.sink;
  }
}

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
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(ChangeReasons) private readonly reasons: ChangeReasons,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Adds the route, with a scope of its own in which no body is parsed. */
  register(server: FastifyInstance): void {
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
      scope.setErrorHandler(refuseWithProblem);
      scope.decorateRequest('looksAfterItself', true);
      scope.route({
        method: PASSED_METHODS,
        url: ROUTE,
        exposeHeadRoute: false,
        bodyLimit: Number.MAX_SAFE_INTEGER, // checked here, with a limit of its own
        handler: (request, reply) => this.handle(request, reply, DOOR),
      });
      done();
    });
  }

  /**
   * Answers a request whose address begins with the prefix of `door` and the name of a device. What is in memory is taken
   * from there without a promise, and that is everything for nearly all reads: what waits only once, for the device, is
   * not carried through a dozen turns of the microtask queue for values that are known.
   */
  handle(request: FastifyRequest, reply: FastifyReply, door: Door): void {
    const visit = new Visit(request, reply, door, () => this.answered(visit));
    const fail = (error: unknown) => this.fail(visit, error);
    try {
      const asked = this.ask(visit);
      const passed =
        asked instanceof Promise ? asked.then((known) => this.pass(visit, known)) : this.pass(visit, asked);
      passed.then(() => this.finish(visit)).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Who asks? */
  private ask(visit: Visit): Asked | Promise<Asked> {
    const actor = this.access.authenticate(visit.request);
    return actor instanceof Promise ? actor.then((known) => this.count(visit, known)) : this.count(visit, actor);
  }

  /** Is it within their limits? */
  private count(visit: Visit, actor: Principal): Asked | Promise<Asked> {
    visit.request.actor = actor;
    const waiting = this.limits.take(actor, 1, visit.note);
    return waiting ? waiting.then(() => this.aim(visit, actor)) : this.aim(visit, actor);
  }

  /** What, and of which device? */
  private aim(visit: Visit, actor: Principal): Asked | Promise<Asked> {
    const { request, door } = visit;
    const path = checkPath(rawDevicePath(request.raw.url ?? '', door.prefix));
    const intent = singleIntent(request.method, path);
    this.access.require(actor, leastPermissionOf(intent));
    const refs = door.refsOf((request.params as { ref: string }).ref);
    const device = refs.length === 1 ? this.devices.recall(refs[0]!) : undefined;
    if (device) return this.admit(visit, actor, device, intent);
    return this.resolve(refs).then((found) => this.admit(visit, actor, found, intent));
  }

  /** May they? Asked before the body is read: who may not makes the gateway read nothing. */
  private admit(visit: Visit, actor: Principal, device: Readonly<Device>, intent: CallRequest): Asked | Promise<Asked> {
    this.judge(actor, device, intent);
    if (hasBody(visit.request)) return this.admitBody(visit, device, intent);
    return this.asked(visit, actor, device, withBody(intent, null));
  }

  /** May they still, now that the body is there? It can take its time, and is sent by whoever they are then. */
  private async admitBody(visit: Visit, first: Readonly<Device>, unread: CallRequest): Promise<Asked> {
    const { DEVICE_BODY_LIMIT_BYTES: limitBytes, BODY_LIMIT_BYTES: wholeUpTo } = this.config;
    const rules = isUnreadBulk(unread) ? { limitBytes, wholeUpTo } : { limitBytes };
    const body = await requestBody(visit.request.raw, rules);
    const { actor, device } = await this.askAgain(visit, first.id, unread);
    const whole = withBody(unread, body);
    if (whole.intent !== unread) this.judge(actor, device, whole.intent);
    return this.asked(visit, actor, device, whole);
  }

  /**
   * Who asks, and may they, some time later: whoever was revoked, locked or given less meanwhile gets the error that their
   * next request would get. All of it is in memory, unless something has changed.
   */
  private async askAgain({ request }: Visit, deviceId: string, intent: CallRequest) {
    const actor = await this.access.authenticate(request);
    request.actor = actor;
    this.access.require(actor, leastPermissionOf(intent));
    const device = this.devices.recall(deviceId) ?? (await this.devices.resolve(deviceId));
    this.judge(actor, device, intent);
    return { actor, device };
  }

  /**
   * Judges each act by itself, those of a bulk request too, once they are known.
   * @throws AppError `forbidden`, `device_not_found` for a device out of sight, `locked`
   */
  private judge({ rights }: Principal, device: Readonly<Device>, intent: CallRequest): void {
    const isUnread = isUnreadBulk(intent);
    if (isUnread) rights.admit({ action: 'device.call_read', device });
    else for (const { writes, path } of intent.acts) rights.admit({ action: permissionOf(writes), device, path });
    this.locks.refuseDevice(device);
    if (intent.writes && !isUnread) this.locks.refuseWrites();
  }

  private asked(visit: Visit, actor: Principal, device: Readonly<Device>, { intent, body }: Whole): Asked {
    const { request } = visit;
    if (intent.writes) this.reasons.check('device.call_write', actor);
    const { accept, 'content-type': contentType, 'content-length': length } = request.headers;
    const isStream = body instanceof Readable;
    const contentLength = isStream ? length : undefined;
    const headers = requestHeaders({ accept, contentType, contentLength, requestId: request.id });
    const variant = `${accept ?? ''}\n${contentType ?? ''}`;
    const limits = callLimits(intent, this.config.DEVICE_BODY_LIMIT_BYTES);
    const mayEnd = isStream ? () => this.askAtEnd(visit, device.id, intent) : undefined;
    const inspect = isStream ? this.markerCheck(visit) : undefined;
    return { actor, device, variant, judged: { intent, body, headers, limits, mayEnd, inspect } };
  }

  /** Asks before the last part of an upload goes out: without it the device does not have the request. */
  private async askAtEnd(visit: Visit, deviceId: string, intent: CallRequest): Promise<void> {
    try {
      await this.askAgain(visit, deviceId, intent);
    } catch (error) {
      visit.refusal = toAppError(error);
      throw error;
    }
  }

  /** Looks at each part of an upload: the device does not get the part in which a redaction marker ends. */
  private markerCheck(visit: Visit): (part: Buffer) => AppError | null {
    const scan = new MarkerScan();
    return (part) => {
      if (!scan.holds(part)) return null;
      visit.refusal = new AppError('redaction_marker');
      return visit.refusal;
    };
  }

  /** Lets it through. Resolves when the answer is complete. */
  private pass(visit: Visit, asked: Asked): Promise<unknown> {
    const { actor, device, judged } = asked;
    visit.stream = new LiveStream(actor, device, () => void visit.reply.raw.destroy());
    this.streams.add(visit.stream);
    if (this.secretReads.isPlain(actor, device, judged.intent.acts)) return this.send(visit, asked);
    return this.guardSecrets(visit, asked).then(() => this.send(visit, asked));
  }

  private send({ request, shown, sink, note }: Visit, { actor, device, variant, judged }: Asked): Promise<unknown> {
    return this.reads.pass({
      deviceId: device.id,
      judged,
      actor,
      variant,
      cacheControl: request.headers['cache-control'],
      sink: shown,
      gone: sink.gone,
      note,
    });
  }

  /** The answer as it is for those who may read secrets, and in the audit where it can hold some; redacted for others. */
  private async guardSecrets(visit: Visit, { actor, device, judged: { intent } }: Asked): Promise<void> {
    if (await this.secretReads.mayRead(actor, device, intent.acts)) {
      const closes = await this.secretReads.open(actor, [device.id], intent.acts);
      visit.close = closes.get(device.id) ?? null;
      return;
    }
    visit.shown = new RedactingSink(visit.sink, intent, this.secretReads.redactor, visit.door.redaction, visit.note);
  }

  private finish(visit: Visit): void {
    visit.shown.end();
    visit.close?.();
    if (visit.stream) this.streams.remove(visit.stream);
  }

  private fail(visit: Visit, thrown: unknown): void {
    const { request, reply, door, sink } = visit;
    const error = visit.refusal ?? thrown;
    visit.close?.(error);
    if (visit.stream) this.streams.remove(visit.stream);
    if (reply.sent) return this.breakOff(error, request, sink);
    sink.leaveNotes();
    door.refuse(error, request, reply);
  }

  /** What hooks do for other routes. */
  private answered({ request, reply, door, startedAt }: Visit): void {
    if (!request.looksAfterItself) return;
    const ms = performance.now() - startedAt;
    recordAnswer(request, { route: door.route, status: reply.statusCode, ms }, this.metrics, this.log);
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

const DOOR: Door = {
  prefix: PREFIX,
  route: ROUTE,
  refuse: refuseWithProblem,
  refsOf: (name) => [name],
  redaction: 'mark',
};

/** The headers that say that the gateway speaks, and that end a connection whose request was not read to its end. */
export function markRefusal(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('proxy-status', statusOfFault(error.code));
  // A body that was not read would be taken for the next request, or must be waited for.
  if (!request.raw.readableEnded && hasBody(request)) void reply.header('connection', 'close');
}

/** What a bulk request does is in its body. */
const isUnreadBulk = ({ isBulk, path }: CallRequest): boolean => !isBulk && isBulkPath(path);

/** What must be held for some device; a bulk request that was not read asks for the right to read, at least. */
const leastPermissionOf = (intent: CallRequest) =>
  isUnreadBulk(intent) ? 'device.call_read' : permissionOf(intent.writes);

/** What a request means once its body is there. @throws AppError as `bulkIntent` */
function withBody(unread: CallRequest, body: Buffer | Readable | null): Whole {
  if (!isUnreadBulk(unread)) return { intent: unread, body };
  return bulkIntent(unread.method, unread.path, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
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
