import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Access, type Principal } from '../../auth/access/access.js';
import { RunningAnswer, RunningAnswers } from '../../auth/access/running-answers.js';
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
import {
  bulkCall,
  bulkItems,
  checkPath,
  isBulkPath,
  singleCall,
  type CallRequest,
} from '../connections/call-request.js';
import { AllItemsRefused, BulkItemsSink } from './bulk-items-sink.js';
import { statusOfError } from './proxy-status.js';
import { RedactingSink, type EndingSink } from './redacting-sink.js';
import { ReplySink } from './reply-sink.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from '../calls/request-headers.js';
import { mayChangeAccounts } from '../calls/own-accounts.js';
import { SecretReads, type CloseRead } from '../calls/secret-reads.js';
import { SharedReads, type ForwardedRequest } from '../calls/shared-reads.js';

/*
 * `ANY /v1/devices/{ref}/api/{path}`: the device's own API. It is a plain Fastify route, because the pipeline of a Nest
 * controller costs 35 to 50 µs, as much as the rest of the call. Path, status and bodies pass byte for byte, except the
 * body of a bulk request and a redacted answer. `Proxy-Status` says whether the device or the gateway answered.
 *
 *   authenticate -> rateLimit -> findDevice -> authorize [-> readBody -> reauthorize] -> prepare -> forward
 */

const PREFIX = '/v1/devices/';
const ROUTE = `${PREFIX}:ref/api/*`;

export const FORWARDED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** Writes a refusal of the gateway. */
type Refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** An entry point for operators: its prefix, its references to devices, its format of refusals. */
export interface EntryPoint {
  readonly prefix: string;
  /** The route's name in metrics. */
  readonly route: string;
  readonly refuse: Refuse;
  /** The references that a name in the address may mean, in the order of attempts. */
  readonly refsOf: (name: string) => readonly string[];
  readonly redaction: RedactionStyle;
  /** The answer to one refused item of a bulk request; absent: such an item refuses the whole request. */
  readonly answerRefusedItem?: (error: AppError) => object;
}

/** A request of an authenticated caller that may make this call on this device. */
type AuthorizedRequest = Pick<ForwardedRequest, 'prepared' | 'variant'> & {
  readonly actor: Principal;
  readonly device: Readonly<Device>;
};

/** A request with its complete body. */
type RequestWithBody = Pick<ForwardedRequest['prepared'], 'call' | 'body'>;

/** One running request, with its clean-up. */
class RequestContext {
  readonly startedAt = performance.now();
  readonly sink: ReplySink;
  /** Receives the device's answer: `sink`, or the redacting sink in front of it. */
  callerSink: EndingSink;
  closeRead: CloseRead | null = null;
  runningAnswer: RunningAnswer | null = null;
  /** Why the rest of the body is not sent: the caller lost its rights, or the body contains a redaction marker. */
  refusal: AppError | null = null;
  /** Adds a header to any answer, of the device or the gateway. */
  readonly addHeader = (name: string, value: string): void => this.sink.addHeader(name, value);

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    readonly entryPoint: EntryPoint,
    answered: () => void,
  ) {
    this.sink = new ReplySink(reply, answered);
    this.callerSink = this.sink;
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
    @Inject(RunningAnswers) private readonly answers: RunningAnswers,
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
      scope.decorateRequest('isPassthrough', true);
      scope.route({
        method: FORWARDED_METHODS,
        url: ROUTE,
        exposeHeadRoute: false,
        bodyLimit: Number.MAX_SAFE_INTEGER, // checked here with its own limit
        handler: (request, reply) => this.handle(request, reply, OPERATOR_ENTRY),
      });
      done();
    });
  }

  /**
   * Answers a request under the prefix of `entryPoint`. The steps return a promise only when they must wait, because a
   * dozen microtasks for cached values would cost each call.
   */
  handle(request: FastifyRequest, reply: FastifyReply, entryPoint: EntryPoint): void {
    const context = new RequestContext(request, reply, entryPoint, () => this.recordAnswered(context));
    const fail = (error: unknown) => this.fail(context, error);
    try {
      const authorized = this.authenticate(context);
      const forwarded =
        authorized instanceof Promise
          ? authorized.then((known) => this.forward(context, known))
          : this.forward(context, authorized);
      forwarded.then(() => this.finish(context)).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Authenticates the caller. */
  private authenticate(context: RequestContext): AuthorizedRequest | Promise<AuthorizedRequest> {
    const actor = this.access.authenticate(context.request);
    return actor instanceof Promise
      ? actor.then((known) => this.rateLimit(context, known))
      : this.rateLimit(context, actor);
  }

  /** Applies the caller's rate limits. */
  private rateLimit(context: RequestContext, actor: Principal): AuthorizedRequest | Promise<AuthorizedRequest> {
    context.request.actor = actor;
    const waiting = this.limits.take(actor, 1, context.addHeader);
    return waiting ? waiting.then(() => this.findDevice(context, actor)) : this.findDevice(context, actor);
  }

  /** Finds the device and reads the path. */
  private findDevice(context: RequestContext, actor: Principal): AuthorizedRequest | Promise<AuthorizedRequest> {
    const { request, entryPoint } = context;
    const path = checkPath(rawDevicePath(request.raw.url ?? '', entryPoint.prefix));
    const call = singleCall(request.method, path);
    this.access.require(actor, minimumPermissionOf(call));
    const refs = entryPoint.refsOf((request.params as { ref: string }).ref);
    const device = refs.length === 1 ? this.devices.resolveCached(refs[0]!) : undefined;
    if (device) return this.authorize(context, actor, device, call);
    return this.resolve(refs).then((found) => this.authorize(context, actor, found, call));
  }

  /** Authorizes the request before its body is read: a caller without rights must not make the gateway read a body. */
  private authorize(
    context: RequestContext,
    actor: Principal,
    device: Readonly<Device>,
    call: CallRequest,
  ): AuthorizedRequest | Promise<AuthorizedRequest> {
    this.requireRights(actor, device, call);
    if (hasBody(context.request)) return this.readBody(context, device, call);
    return this.prepare(context, actor, device, withBody(call, null));
  }

  /** Reads the body, then authorizes again: reading takes time, and the caller's rights may have changed. */
  private async readBody(
    context: RequestContext,
    first: Readonly<Device>,
    unread: CallRequest,
  ): Promise<AuthorizedRequest> {
    const { DEVICE_BODY_LIMIT_BYTES: limitBytes, BODY_LIMIT_BYTES: bufferUpTo } = this.config;
    const isRead = isUnreadBulk(unread) || mayChangeAccounts(unread);
    const rules = isRead ? { limitBytes, bufferUpTo } : { limitBytes };
    const body = await requestBody(context.request.raw, rules);
    const { actor, device } = await this.reauthorize(context, first.id, unread);
    const complete = this.readBulkItems(context, actor, device, unread, body) ?? withBody(unread, body);
    if (complete.call !== unread) this.requireRights(actor, device, complete.call);
    return this.prepare(context, actor, device, complete);
  }

  /** A bulk request whose entry answers each refused item; the other items are carried out. Null: not such a request. */
  private readBulkItems(
    context: RequestContext,
    actor: Principal,
    device: Readonly<Device>,
    unread: CallRequest,
    bytes: Buffer | Readable | null,
  ): RequestWithBody | null {
    const { answerRefusedItem } = context.entryPoint;
    if (!answerRefusedItem || !isUnreadBulk(unread) || !Buffer.isBuffer(bytes)) return null;
    const { call, body, refused } = bulkItems(unread.method, unread.path, bytes, (act) =>
      this.requireRights(actor, device, { ...unread, acts: [act], isBulkRequest: true, writes: act.writes }),
    );
    if (refused.length === 0) return { call, body };
    const answers = refused.map(({ index, error }) => ({ index, answer: answerRefusedItem(error) }));
    if (call.acts.length === 0) throw new AllItemsRefused(answers, device.profile);
    context.callerSink = new BulkItemsSink(context.callerSink, answers);
    return { call, body };
  }

  /**
   * Authenticates and authorizes a running request again. A caller that was revoked or locked gets the same error as its
   * next request would.
   */
  private async reauthorize({ request }: RequestContext, deviceId: string, call: CallRequest) {
    const actor = await this.access.authenticate(request);
    request.actor = actor;
    this.access.require(actor, minimumPermissionOf(call));
    const device = this.devices.resolveCached(deviceId) ?? (await this.devices.resolve(deviceId));
    this.requireRights(actor, device, call);
    return { actor, device };
  }

  /**
   * Requires the right to each act. The acts of a bulk request are known only after its body.
   * @throws AppError `forbidden`, `device_not_found` for a device that the caller cannot see, `locked`
   */
  private requireRights({ rights }: Principal, device: Readonly<Device>, call: CallRequest): void {
    const isUnread = isUnreadBulk(call);
    if (isUnread) rights.requireOnDevice({ action: 'device.call_read', device });
    else
      for (const { writes, path } of call.acts) rights.requireOnDevice({ action: permissionOf(writes), device, path });
    this.locks.refuseDevice(device);
    if (call.writes && !isUnread) this.locks.refuseWrites();
  }

  private prepare(
    context: RequestContext,
    actor: Principal,
    device: Readonly<Device>,
    { call, body }: RequestWithBody,
  ): AuthorizedRequest {
    const { request } = context;
    if (call.writes) this.reasons.check('device.call_write', actor);
    const { accept, 'content-type': contentType, 'content-length': length } = request.headers;
    const isStream = body instanceof Readable;
    const contentLength = isStream ? length : undefined;
    const headers = requestHeaders({ accept, contentType, contentLength, requestId: request.id });
    const variant = `${accept ?? ''}\n${contentType ?? ''}`;
    const limits = callLimits(call, this.config.DEVICE_BODY_LIMIT_BYTES);
    const mayEnd = isStream ? () => this.reauthorizeAtEnd(context, device.id, call) : undefined;
    const inspect = isStream ? this.markerCheck(context) : undefined;
    return { actor, device, variant, prepared: { call, body, headers, limits, mayEnd, inspect } };
  }

  /** Authorizes again before the last part of an upload, without which the device does not have the request. */
  private async reauthorizeAtEnd(context: RequestContext, deviceId: string, call: CallRequest): Promise<void> {
    try {
      await this.reauthorize(context, deviceId, call);
    } catch (error) {
      context.refusal = toAppError(error);
      throw error;
    }
  }

  /** Checks each part of an upload, and refuses the part in which a redaction marker ends. */
  private markerCheck(context: RequestContext): (part: Buffer) => AppError | null {
    const scan = new MarkerScan();
    return (part) => {
      if (!scan.holds(part)) return null;
      context.refusal = new AppError('redaction_marker');
      return context.refusal;
    };
  }

  /** Makes the call. Resolves when the answer is complete. */
  private forward(context: RequestContext, authorized: AuthorizedRequest): Promise<unknown> {
    const { actor, device, prepared } = authorized;
    context.runningAnswer = new RunningAnswer(actor, device, () => void context.reply.raw.destroy());
    this.answers.add(context.runningAnswer);
    if (this.secretReads.needsNoCheck(actor, device, prepared.call.acts)) return this.send(context, authorized);
    return this.guardSecrets(context, authorized).then(() => this.send(context, authorized));
  }

  private send(
    { request, callerSink, sink, addHeader }: RequestContext,
    { actor, device, variant, prepared }: AuthorizedRequest,
  ): Promise<unknown> {
    return this.reads.forward({
      deviceId: device.id,
      prepared,
      actor,
      variant,
      cacheControl: request.headers['cache-control'],
      sink: callerSink,
      cancellation: sink.cancellation,
      addHeader,
    });
  }

  /** Audits the read when the caller may read secrets; otherwise redacts the answer. */
  private async guardSecrets(
    context: RequestContext,
    { actor, device, prepared: { call } }: AuthorizedRequest,
  ): Promise<void> {
    if (await this.secretReads.mayRead(actor, device, call.acts)) {
      const closes = await this.secretReads.open(actor, [device.id], call.acts);
      context.closeRead = closes.get(device.id) ?? null;
      return;
    }
    context.callerSink = new RedactingSink(
      context.callerSink,
      call,
      this.secretReads.redactor,
      context.entryPoint.redaction,
      context.addHeader,
    );
  }

  private finish(context: RequestContext): void {
    context.callerSink.end();
    context.closeRead?.();
    if (context.runningAnswer) this.answers.remove(context.runningAnswer);
  }

  private fail(context: RequestContext, thrown: unknown): void {
    const { request, reply, entryPoint, sink } = context;
    const error = context.refusal ?? thrown;
    context.closeRead?.(error);
    if (context.runningAnswer) this.answers.remove(context.runningAnswer);
    if (reply.sent) return this.cutAnswer(error, request, sink);
    sink.applyHeaders();
    entryPoint.refuse(error, request, reply);
  }

  /** Records log and metrics, which hooks do for other routes. */
  private recordAnswered({ request, reply, entryPoint, startedAt }: RequestContext): void {
    if (!request.isPassthrough) return;
    const ms = performance.now() - startedAt;
    recordAnswer(request, { route: entryPoint.route, status: reply.statusCode, ms }, this.metrics, this.log);
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

  /** The head was already sent, so an error answer is impossible: the connection is cut. */
  private cutAnswer(error: unknown, request: FastifyRequest, sink: ReplySink): void {
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

const OPERATOR_ENTRY: EntryPoint = {
  prefix: PREFIX,
  route: ROUTE,
  refuse: refuseWithProblem,
  refsOf: (name) => [name],
  redaction: 'marker',
};

/** Sets the headers of a refusal by the gateway, and closes a connection whose request was not read completely. */
export function markRefusal(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('proxy-status', statusOfError(error.code));
  // An unread body would be read as the next request, or must be waited for.
  if (!request.raw.readableEnded && hasBody(request)) void reply.header('connection', 'close');
}

/** The acts of a bulk request are in its body. */
const isUnreadBulk = ({ isBulkRequest, path }: CallRequest): boolean => !isBulkRequest && isBulkPath(path);

/** The permission that the call needs at least; the acts of an unread bulk request are not known yet. */
const minimumPermissionOf = (call: CallRequest) =>
  isUnreadBulk(call) ? 'device.call_read' : permissionOf(call.writes);

/** The call of a request with its body. @throws AppError as `bulkCall` */
function withBody(unread: CallRequest, body: Buffer | Readable | null): RequestWithBody {
  if (!isUnreadBulk(unread)) return { call: unread, body };
  return bulkCall(unread.method, unread.path, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
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
