import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { requestJson } from '../../device-api/device-json.js';
import { Access, type Principal } from '../../auth/access/access.js';
import { RunningAnswers } from '../../auth/access/running-answers.js';
import { Locks } from '../../auth/access/locks.service.js';
import { RateLimits } from '../../auth/limits/rate-limits.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { ChangeReasons } from '../../platform/change-reasons.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { recordAnswer, reportProblem, sendProblem } from '../../platform/http/http-server.js';
import { errorFields } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { LOG } from '../../platform/platform.module.js';
import { toAppError } from '../../platform/http/problem.js';
import { callLimits } from '../calls/call-limits.js';
import { bulkCall, bulkItems, type CallRequest } from '../connections/call-request.js';
import { AllItemsRefused, BulkItemsSink } from './bulk-items-sink.js';
import { CallPlans, permissionOf, type CallPlan } from './call-plans.js';
import { statusOfError } from './proxy-status.js';
import { PassthroughRequest, type EntryPoint } from './passthrough-request.js';
import { RedactingSink } from './redacting-sink.js';
import { requestBody } from './request-body.js';
import { requestHeaders } from '../connections/request-headers.js';
import { type PreparedRequest } from '../calls/call-context.js';
import { mayChangeAccounts } from '../calls/own-accounts.js';
import { SecretReads } from '../calls/secret-reads.js';
import { SharedReads } from '../calls/shared-reads.js';

/*
 * `ANY /v1/devices/{ref}/api/{path}`: the device's own API. It is a plain Fastify route, because the pipeline of a Nest
 * controller costs 35 to 50 µs, as much as the rest of the call. Path, status and bodies pass byte for byte, except the
 * body of a bulk request, JSON that may change accounts, and a redacted answer. `Proxy-Status` says whether the device
 * or the gateway answered.
 *
 *   authenticate -> rateLimit -> findDevice -> authorize [-> readBody -> reauthorize] -> prepare -> forward
 */

const PREFIX = '/v1/devices/';
const ROUTE = `${PREFIX}:ref/api/*`;

export const FORWARDED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** A request with its body: complete, or as a stream. */
type RequestWithBody = Pick<PreparedRequest, 'call' | 'body'>;

@Injectable()
export class Passthrough {
  private readonly plans: CallPlans;

  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(RateLimits) private readonly rateLimits: RateLimits,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SharedReads) private readonly reads: SharedReads,
    @Inject(SecretReads) private readonly secretReads: SecretReads,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(RunningAnswers) private readonly answers: RunningAnswers,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(ChangeReasons) private readonly reasons: ChangeReasons,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.plans = new CallPlans(config.DEVICE_BODY_LIMIT_BYTES);
  }

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
        config: { callsDevice: true, readsBody: true },
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
    const context = new PassthroughRequest(request, reply, entryPoint, this);
    try {
      const authorizing = this.authenticate(context);
      if (authorizing)
        authorizing.then(() => this.forward(context)).catch((error: unknown) => this.failed(context, error));
      else void this.forward(context);
    } catch (error) {
      this.failed(context, error);
    }
  }

  /** Authenticates the caller. */
  private authenticate(context: PassthroughRequest): void | Promise<void> {
    const actor = this.access.authenticate(context.request);
    return actor instanceof Promise
      ? actor.then((known) => this.rateLimit(context, known))
      : this.rateLimit(context, actor);
  }

  /** Applies the caller's rate limits. */
  private rateLimit(context: PassthroughRequest, actor: Principal): void | Promise<void> {
    context.request.actor = actor;
    const waiting = this.rateLimits.take(actor, 1, context.addHeader);
    return waiting ? waiting.then(() => this.findDevice(context, actor)) : this.findDevice(context, actor);
  }

  /** Finds the device and reads the path. */
  private findDevice(context: PassthroughRequest, actor: Principal): void | Promise<void> {
    const { request, entryPoint } = context;
    const plan = this.plans.find(request.method, rawDevicePath(request.raw.url ?? '', entryPoint.prefix));
    this.access.require(actor, plan.permission);
    const refs = entryPoint.refsOf((request.params as { ref: string }).ref);
    const device = refs.length === 1 ? this.devices.resolveCached(refs[0]!) : undefined;
    if (device) return this.authorize(context, actor, device, plan);
    return this.resolve(refs).then((found) => this.authorize(context, actor, found, plan));
  }

  /** Authorizes the request before its body is read: a caller without rights must not make the gateway read a body. */
  private authorize(
    context: PassthroughRequest,
    actor: Principal,
    device: Readonly<Device>,
    plan: CallPlan,
  ): void | Promise<void> {
    this.requireRights(actor, device, plan);
    if (hasBody(context.request)) return this.readBody(context, device, plan);
    return this.prepare(context, actor, device, plan, withBody(plan, null));
  }

  /** Reads the body, then authorizes again: reading takes time, and the caller's rights may have changed. */
  private async readBody(context: PassthroughRequest, first: Readonly<Device>, plan: CallPlan): Promise<void> {
    const { DEVICE_BODY_LIMIT_BYTES: limitBytes, BODY_LIMIT_BYTES: bufferUpTo } = this.config;
    const body = await requestBody(
      context.request.raw,
      plan.isUnreadBulk || mayChangeAccounts(plan.call) ? { limitBytes, bufferUpTo } : { limitBytes },
    );
    const { actor, device } = await this.reauthorize(context, first.id, plan);
    const complete = this.readBulkItems(context, actor, device, plan, body) ?? withBody(plan, body);
    if (plan.isUnreadBulk) this.requireRightsToActs(actor, device, complete.call);
    return this.prepare(context, actor, device, plan, complete);
  }

  /** Reads a bulk request item by item, where the entry point answers refused items; null elsewhere. */
  private readBulkItems(
    context: PassthroughRequest,
    actor: Principal,
    device: Readonly<Device>,
    { call: { method, path }, isUnreadBulk }: CallPlan,
    bytes: Buffer | Readable | null,
  ): RequestWithBody | null {
    const { answerRefusedItem } = context.entryPoint;
    if (!answerRefusedItem || !isUnreadBulk || !Buffer.isBuffer(bytes)) return null;
    const { call, body, refused } = bulkItems(method, path, bytes, (act) =>
      this.requireRightsToActs(actor, device, { acts: [act], writes: act.writes }),
    );
    if (refused.length === 0) return { call, body };
    for (const { error } of refused) reportProblem(error.code, context.request);
    const answers = refused.map(({ index, error }) => ({ index, answer: answerRefusedItem(error) }));
    if (call.acts.length === 0) throw new AllItemsRefused(answers, device.profile);
    context.sink = new BulkItemsSink(context.sink, answers);
    return { call, body };
  }

  /**
   * Authenticates and authorizes a running request again. A caller that was revoked or locked gets the same error as its
   * next request would.
   */
  private async reauthorize({ request }: PassthroughRequest, deviceId: string, plan: CallPlan) {
    const actor = await this.access.authenticate(request);
    request.actor = actor;
    this.access.require(actor, plan.permission);
    const device = this.devices.resolveCached(deviceId) ?? (await this.devices.resolve(deviceId));
    this.requireRights(actor, device, plan);
    return { actor, device };
  }

  /**
   * Requires the rights that are known before the body.
   * @throws AppError `forbidden`, `device_not_found` for a device that the caller cannot see, `locked`
   */
  private requireRights(
    actor: Principal,
    device: Readonly<Device>,
    { isUnreadBulk, permission, call }: CallPlan,
  ): void {
    if (!isUnreadBulk) return this.requireRightsToActs(actor, device, call);
    actor.rights.requireOnDevice({ action: permission, device });
    return this.locks.refuseDevice(device);
  }

  /** Requires the right to each act. @throws AppError as `requireRights` */
  private requireRightsToActs(
    { rights }: Principal,
    device: Readonly<Device>,
    { acts, writes }: Pick<CallRequest, 'acts' | 'writes'>,
  ): void {
    for (const act of acts) rights.requireOnDevice({ action: permissionOf(act.writes), device, path: act.path });
    this.locks.refuseDevice(device);
    if (writes) this.locks.refuseWrites();
  }

  private prepare(
    context: PassthroughRequest,
    actor: Principal,
    device: Readonly<Device>,
    plan: CallPlan,
    { call, body }: RequestWithBody,
  ): void {
    const { request } = context;
    if (call.writes) this.reasons.check('device.call_write', actor);
    const { accept, 'content-type': contentType, 'content-length': length } = request.headers;
    const isStream = body instanceof Readable;
    const contentLength = isStream ? length : undefined;
    const headers = requestHeaders({ accept, contentType, contentLength, requestId: request.id });
    const limits = call === plan.call ? plan.limits : callLimits(call, this.config.DEVICE_BODY_LIMIT_BYTES);
    const mayEnd = isStream ? () => this.reauthorizeAtEnd(context, device.id, plan) : undefined;
    context.actor = actor;
    context.device = device;
    context.variant = `${accept ?? ''}\n${contentType ?? ''}`;
    context.prepared = { call, body, headers, limits, mayEnd };
  }

  /** Authorizes again before the last part of an upload, without which the device does not have the request. */
  private async reauthorizeAtEnd(context: PassthroughRequest, deviceId: string, plan: CallPlan): Promise<void> {
    await this.reauthorize(context, deviceId, plan).catch((error: unknown) => {
      throw toAppError(error);
    });
  }

  /** Makes the call. Its answer, or its error, goes to the sink. */
  private forward(context: PassthroughRequest): void | Promise<void> {
    const { actor, device, prepared } = context;
    this.answers.add(context);
    context.entryPoint.onForward?.(context);
    if (this.secretReads.needsNoCheck(actor, device, prepared.call.acts)) return this.reads.forward(context);
    return this.guardSecrets(context)
      .then(() => this.reads.forward(context))
      .catch((error: unknown) => this.failed(context, error));
  }

  /** Audits the read when the caller may read secrets and does not decline them; otherwise redacts the answer. */
  private async guardSecrets(context: PassthroughRequest): Promise<void> {
    const { actor, device, prepared, entryPoint } = context;
    const { call } = prepared;
    const { redactor } = this.secretReads;
    const isDeclined = context.request.headers['fleetgate-redact'] === 'yes';
    if (!isDeclined && (await this.secretReads.mayRead(actor, device, call.acts))) {
      const closes = await this.secretReads.open(actor, [device.id], call.acts);
      context.closeRead = closes.get(device.id) ?? null;
    } else context.sink = new RedactingSink(context.sink, call, redactor, entryPoint.redaction, context.addHeader);
  }

  completed(context: PassthroughRequest): void {
    context.closeRead?.();
    this.answers.remove(context);
  }

  failed(context: PassthroughRequest, error: unknown): void {
    const { request, reply, entryPoint } = context;
    context.closeRead?.(error);
    this.answers.remove(context);
    if (reply.sent) return this.cutAnswer(context, error);
    context.applyHeaders();
    return entryPoint.refuse(error, request, reply);
  }

  abandoned(context: PassthroughRequest): void {
    this.reads.leave(context);
  }

  /** Records log and metrics, which hooks do for other routes. */
  answered({ request, reply, entryPoint, startedAt }: PassthroughRequest): void {
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
  private cutAnswer(context: PassthroughRequest, error: unknown): void {
    context.cut();
    this.log.info(
      { requestId: context.request.id, ...errorFields(error) },
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

/** The call of a request with its body. @throws AppError as `bulkCall` */
function withBody({ call, isUnreadBulk }: CallPlan, body: Buffer | Readable | null): RequestWithBody {
  if (isUnreadBulk) return bulkCall(call.method, call.path, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  return { call, body: Buffer.isBuffer(body) && mayChangeAccounts(call) ? rewritten(body) : body };
}

/** JSON as the gateway reads it: the device cannot read another account from a name that the bytes hold twice. */
function rewritten(body: Buffer): Buffer {
  const parsed = requestJson(body);
  return parsed === undefined ? body : Buffer.from(JSON.stringify(parsed));
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The device's part of the request line, unchanged. */
export function rawDevicePath(url: string, prefix: string): string {
  const cut = url.startsWith(prefix) ? url.indexOf('/', prefix.length) : -1;
  if (cut < 0) throw new AppError('path_refused', { reason: 'the address is not in origin form' });
  return url.slice(cut);
}
