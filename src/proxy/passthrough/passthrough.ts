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

/** Writes a refusal of the gateway. */
type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** An entry point for operators: its prefix, its references to devices, its format of refusals. */
export interface Door {
  readonly prefix: string;
  /** The route's name in metrics. */
  readonly route: string;
  readonly refuse: Refuse;
  /** The references that a name in the address may mean, in the order of attempts. */
  readonly refsOf: (name: string) => readonly string[];
  readonly redaction: RedactionStyle;
}

/** An authorized request of an operator. */
type Asked = Pick<PassedRequest, 'judged' | 'variant'> & {
  readonly actor: Principal;
  readonly device: Readonly<Device>;
};

/** A request with its complete body. */
type Whole = Pick<PassedRequest['judged'], 'intent' | 'body'>;

/** One running request, with its clean-up. */
class Visit {
  readonly startedAt = performance.now();
  readonly sink: ReplySink;
  /** `sink`, or the redacting sink in front of it. */
  shown: EndingSink;
  close: CloseRead | null = null;
  stream: LiveStream | null = null;
  /** Why a part of its body was withheld: the caller lost the right to send it, or it contains a redaction marker. */
  refusal: AppError | null = null;
  /** Adds a header to any answer, of the device or the gateway. */
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

  /** Adds the route, in a scope without body parsers. */
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
        bodyLimit: Number.MAX_SAFE_INTEGER, // checked here with its own limit
        handler: (request, reply) => this.handle(request, reply, DOOR),
      });
      done();
    });
  }

  /**
   * Answers a request whose address begins with the prefix of `door` and the name of a device. Cached data are read
   * without a promise, which covers nearly all reads. So a request waits only once, for the device, and not in a dozen
   * microtasks for known values.
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

  /** Authenticates the caller. */
  private ask(visit: Visit): Asked | Promise<Asked> {
    const actor = this.access.authenticate(visit.request);
    return actor instanceof Promise ? actor.then((known) => this.count(visit, known)) : this.count(visit, actor);
  }

  /** Applies the caller's rate limits. */
  private count(visit: Visit, actor: Principal): Asked | Promise<Asked> {
    visit.request.actor = actor;
    const waiting = this.limits.take(actor, 1, visit.note);
    return waiting ? waiting.then(() => this.aim(visit, actor)) : this.aim(visit, actor);
  }

  /** Finds the device and reads the path. */
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

  /** Authorizes the request before its body is read, so that a caller without rights makes the gateway read nothing. */
  private admit(visit: Visit, actor: Principal, device: Readonly<Device>, intent: CallRequest): Asked | Promise<Asked> {
    this.judge(actor, device, intent);
    if (hasBody(visit.request)) return this.admitBody(visit, device, intent);
    return this.asked(visit, actor, device, withBody(intent, null));
  }

  /** Authorizes the request again after its body: a body takes time, and the caller's rights may have changed. */
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
   * Authenticates and authorizes again later: a caller that was revoked, locked or lost rights gets the error of its
   * next request. The data are cached unless something has changed.
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
   * Authorizes each act, those of a bulk request, too, once they are known.
   * @throws AppError `forbidden`, `device_not_found` for a device that the caller cannot see, `locked`
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

  /** Authorizes again before the last part of an upload, without which the device does not have the request. */
  private async askAtEnd(visit: Visit, deviceId: string, intent: CallRequest): Promise<void> {
    try {
      await this.askAgain(visit, deviceId, intent);
    } catch (error) {
      visit.refusal = toAppError(error);
      throw error;
    }
  }

  /** Checks each part of an upload: the device does not get the part in which a redaction marker ends. */
  private markerCheck(visit: Visit): (part: Buffer) => AppError | null {
    const scan = new MarkerScan();
    return (part) => {
      if (!scan.holds(part)) return null;
      visit.refusal = new AppError('redaction_marker');
      return visit.refusal;
    };
  }

  /** Makes the call. Resolves when the answer is complete. */
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

  /** The answer unredacted for callers that may read secrets, audited when it can contain some; redacted for others. */
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

  /** Does what hooks do for other routes. */
  private answered({ request, reply, door, startedAt }: Visit): void {
    if (!request.looksAfterItself) return;
    const ms = performance.now() - startedAt;
    recordAnswer(request, { route: door.route, status: reply.statusCode, ms }, this.metrics, this.log);
  }

  /** @throws AppError `device_not_found` when no reference matches a device */
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

  /** The head of the device's answer has been sent, so the connection is cut instead of an error. */
  private breakOff(error: unknown, request: FastifyRequest, sink: ReplySink): void {
    sink.cut();
    this.log.info(
      { requestId: request.id, ...errorFields(error) },
      'The answer of a device ended before it was complete',
    );
  }
}

/** Answers with a problem document; its `Proxy-Status` distinguishes it from an answer of the device. */
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

/** Sets the headers of a refusal by the gateway, and closes a connection whose request was not read completely. */
export function markRefusal(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('proxy-status', statusOfFault(error.code));
  // An unread body would be read as the next request, or must be waited for.
  if (!request.raw.readableEnded && hasBody(request)) void reply.header('connection', 'close');
}

/** The acts of a bulk request are in its body. */
const isUnreadBulk = ({ isBulk, path }: CallRequest): boolean => !isBulk && isBulkPath(path);

/** The permission needed for some device; for an unread bulk request at least the right to read. */
const leastPermissionOf = (intent: CallRequest) =>
  isUnreadBulk(intent) ? 'device.call_read' : permissionOf(intent.writes);

/** The effect of a request with its body. @throws AppError as `bulkIntent` */
function withBody(unread: CallRequest, body: Buffer | Readable | null): Whole {
  if (!isUnreadBulk(unread)) return { intent: unread, body };
  return bulkIntent(unread.method, unread.path, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
}

const permissionOf = (writes: boolean) => (writes ? 'device.call_write' : 'device.call_read');

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The device's part of the request line, unchanged. */
export function rawDevicePath(url: string, prefix: string): string {
  const cut = url.startsWith(prefix) ? url.indexOf('/', prefix.length) : -1;
  if (cut < 0) throw new AppError('path_refused', { reason: 'the address is not in origin form' });
  return url.slice(cut);
}
