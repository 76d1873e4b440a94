import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { requestJson } from '../../device-api/device-json.js';
import { Access } from '../../auth/access/access.js';
import { RunningAnswers } from '../../auth/access/running-answers.js';
import { Locks } from '../../auth/access/locks.service.js';
import { RateLimits } from '../../auth/limits/rate-limits.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { ChangeReasons } from '../../platform/change-reasons.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { recordAnswer, reportProblem, sendProblem } from '../../http/http-server.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { toAppError } from '../../http/problem.js';
import { callLimits } from '../calls/call-limits.js';
import { CallExecutor } from '../calls/call-executor.js';
import { bulkCall, bulkItems, type CallRequest } from '../connections/call-request.js';
import { CallPlans, permissionOf, type CallPlan } from './call-plans.js';
import { statusOfError } from './proxy-status.js';
import { PassthroughRequest, type EntryPoint } from './passthrough-request.js';
import { AllItemsRefused, completing, redacting, type RefusedItemAnswer, RewrittenAnswer } from './rewritten-answer.js';
import { requestBody, type BodyRules } from './request-body.js';
import { requestHeaders } from '../calls/prepared-request.js';
import { type PreparedRequest } from '../calls/call-context.js';
import { mayChangeAccounts } from '../calls/own-accounts.js';
import { SecretReads } from '../calls/secret-reads.js';
import { SharedReads, wantsOwnCall } from './shared-reads.js';

/*
 * `ANY /v1/devices/{ref}/api/{path}`: the device's own API. It is a plain Fastify route, because the pipeline of a Nest
 * controller costs 35 to 50 µs, as much as the rest of the call. Path, status and bodies pass byte for byte, except the
 * body of a bulk request, JSON that may change accounts, and a redacted answer. `Proxy-Status` says whether the device
 * or the gateway answered.
 * */

const PREFIX = '/v1/devices/';
const ROUTE = `${PREFIX}:ref/api/*`;

export const FORWARDED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** A request with its body: complete, or as a stream. */
interface RequestWithBody extends Pick<PreparedRequest, 'call' | 'body'> {
  /** The items of a bulk request that are not sent, with their answers. */
  readonly refused?: readonly RefusedItemAnswer[];
}

@Injectable()
export class Passthrough {
  private readonly plans: CallPlans;

  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(RateLimits) private readonly rateLimits: RateLimits,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'execute'>,
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
        handler: (request, reply) => this.answer(request, reply, OPERATOR_ENTRY),
      });
      done();
    });
  }

  /** Answers a request under the prefix of `entryPoint`. A fault of the gateway after that ends its connection alone. */
  answer(request: FastifyRequest, reply: FastifyReply, entryPoint: EntryPoint): void {
    this.handle(request, reply, entryPoint).catch((error: unknown) => {
      this.log.error({ requestId: request.id, ...errorFields(error) }, 'A request to a device ended with a fault');
      reply.raw.destroy();
    });
  }

  /** From the first check of a request to the end of its answer. */
  private async handle(request: FastifyRequest, reply: FastifyReply, entryPoint: EntryPoint): Promise<void> {
    const passed = new PassthroughRequest(request, reply, entryPoint);
    try {
      request.actor = passed.actor = await this.access.authenticate(request);
      await this.rateLimits.take(passed.actor, 1, passed.addHeader);
      const plan = this.plans.find(request.method, rawDevicePath(request.raw.url ?? '', entryPoint.prefix));
      this.access.require(passed.actor, plan.permission);
      passed.registered = await this.findDevice(entryPoint.refsOf((request.params as { ref: string }).ref));
      // Before the body: a caller without rights must not make the gateway read it.
      this.requireRights(passed, plan);
      let sent: RequestWithBody;
      if (hasBody(request)) {
        const body = await requestBody(request.raw, this.bodyRules(plan));
        await this.reauthorize(passed, plan); // reading takes time, and the caller's rights may have changed
        sent = this.readBulkItems(passed, plan, body) ?? withBody(plan, body);
        if (plan.isUnreadBulk) this.requireRightsToActs(passed, sent.call);
      } else sent = withBody(plan, null);
      if (sent.call.writes) this.reasons.check('device.call_write', passed.actor);
      passed.prepared = this.prepare(passed, plan, sent);
      this.answers.add(passed);
      entryPoint.onForward?.(passed);
      const needsNoCheck = this.secretReads.needsNoCheck(passed.actor, passed.device, sent.call.acts);
      const isClear = needsNoCheck || (await this.openClearRead(passed));
      if (isClear && !sent.refused) await this.call(passed);
      else await this.callAndRewrite(passed, sent.refused, isClear);
      passed.end();
      passed.closeRead?.();
    } catch (error) {
      passed.closeRead?.(error);
      this.refuse(passed, error);
    } finally {
      this.answers.remove(passed);
    }
    if (await passed.closed) this.record(passed);
  }

  private findDevice(refs: readonly string[]): DeviceWithAccounts | Promise<DeviceWithAccounts> {
    const cached = refs.length === 1 ? this.devices.resolveCached(refs[0]!) : undefined;
    return cached ?? this.resolve(refs).then(({ id }) => this.devices.get(id));
  }

  /** @throws AppError as the call */
  private call(passed: PassthroughRequest): Promise<void> {
    if (isShareable(passed)) return this.reads.read(passed);
    return this.executor.execute(passed.deviceId, passed.prepared, passed.context, passed.sink, passed);
  }

  private async callAndRewrite(
    passed: PassthroughRequest,
    refused: readonly RefusedItemAnswer[] | undefined,
    isClear: boolean,
  ): Promise<void> {
    const { prepared, entryPoint, addHeader } = passed;
    const redact = redacting(prepared.call, this.secretReads.redactor, entryPoint.redaction, addHeader);
    const answer = new RewrittenAnswer();
    passed.sink = answer;
    await this.call(passed);
    answer.passTo(passed, [...(isClear ? [] : [redact]), ...(refused ? [completing(refused)] : [])]);
  }

  /** Some bodies must be read completely before the call. */
  private bodyRules({ isUnreadBulk, call }: CallPlan): BodyRules {
    const { DEVICE_BODY_LIMIT_BYTES: limitBytes, BODY_LIMIT_BYTES: bufferUpTo } = this.config;
    return isUnreadBulk || mayChangeAccounts(call) ? { limitBytes, bufferUpTo } : { limitBytes };
  }

  /** Reads a bulk request item by item, where the entry point answers refused items; null elsewhere. */
  private readBulkItems(
    passed: PassthroughRequest,
    { call: { method, path }, isUnreadBulk }: CallPlan,
    bytes: Buffer | Readable | null,
  ): RequestWithBody | null {
    const { answerRefusedItem } = passed.entryPoint;
    if (!answerRefusedItem || !isUnreadBulk || !Buffer.isBuffer(bytes)) return null;
    const { call, body, refused } = bulkItems(method, path, bytes, (act) =>
      this.requireRightsToActs(passed, { acts: [act], writes: act.writes }),
    );
    if (refused.length === 0) return { call, body };
    for (const { error } of refused) reportProblem(error.code, passed.request);
    const answers = refused.map(({ index, error }) => ({ index, answer: answerRefusedItem(error) }));
    if (call.acts.length === 0) throw new AllItemsRefused(answers, passed.device.profile);
    return { call, body, refused: answers };
  }

  /**
   * Authenticates and authorizes a running request again. A caller that was revoked or locked gets the same error as its
   * next request would.
   */
  private async reauthorize(passed: PassthroughRequest, plan: CallPlan): Promise<void> {
    const { request, device } = passed;
    request.actor = passed.actor = await this.access.authenticate(request);
    this.access.require(passed.actor, plan.permission);
    passed.registered = await this.findDevice([device.id]);
    this.requireRights(passed, plan);
  }

  /**
   * Requires the rights that are known before the body.
   * @throws AppError `forbidden`, `device_not_found` for a device that the caller cannot see, `locked`
   */
  private requireRights(passed: PassthroughRequest, { isUnreadBulk, permission, call }: CallPlan): void {
    if (!isUnreadBulk) return this.requireRightsToActs(passed, call);
    passed.actor.rights.requireOnDevice({ action: permission, device: passed.device });
    return this.locks.refuseDevice(passed.device);
  }

  /** Requires the right to each act. @throws AppError as `requireRights` */
  private requireRightsToActs(
    { actor, device }: PassthroughRequest,
    { acts, writes }: Pick<CallRequest, 'acts' | 'writes'>,
  ): void {
    for (const act of acts) actor.rights.requireOnDevice({ action: permissionOf(act.writes), device, path: act.path });
    this.locks.refuseDevice(device);
    if (writes) this.locks.refuseWrites();
  }

  private prepare(passed: PassthroughRequest, plan: CallPlan, { call, body }: RequestWithBody): PreparedRequest {
    const { request } = passed;
    const { accept, 'content-type': contentType, 'content-length': length } = request.headers;
    const isStream = body instanceof Readable;
    const contentLength = isStream ? length : undefined;
    const headers = requestHeaders({ accept, contentType, contentLength, requestId: request.id });
    const limits = call === plan.call ? plan.limits : callLimits(call, this.config.DEVICE_BODY_LIMIT_BYTES);
    // Authorized again before the last part of an upload, without which the device does not have the request.
    const mayEnd = isStream ? () => this.reauthorize(passed, plan).catch(throwAppError) : undefined;
    return { call, body, headers, limits, mayEnd };
  }

  /** Audits the read when the caller may read secrets and does not decline them. @returns false: its answer is redacted */
  private async openClearRead(passed: PassthroughRequest): Promise<boolean> {
    const { actor, device, prepared } = passed;
    const { acts } = prepared.call;
    const isDeclined = passed.request.headers['fleetgate-redact'] === 'yes';
    if (isDeclined || !(await this.secretReads.mayRead(actor, device, acts))) return false;
    const closes = await this.secretReads.open(actor, [device.id], acts);
    passed.closeRead = closes.get(device.id) ?? null;
    return true;
  }

  /** Answers with an error. After the head that is impossible: then the connection is cut. */
  private refuse(passed: PassthroughRequest, error: unknown): void {
    const { request, reply, entryPoint } = passed;
    if (reply.sent) {
      passed.cut();
      const facts = { requestId: request.id, ...errorFields(error) };
      this.log.info(facts, 'The answer of a device ended before it was complete');
    } else {
      passed.applyHeaders();
      entryPoint.refuse(error, request, reply);
    }
  }

  /** Records log and metrics, which hooks do for other routes. */
  private record({ request, reply, entryPoint, startedAt }: PassthroughRequest): void {
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

/** Whether an equal read may be shared: a GET without a body, unless the caller asks for a call of its own. */
function isShareable({ prepared: { call, body }, request }: PassthroughRequest): boolean {
  const cacheControl = request.headers['cache-control'];
  return call.method === 'GET' && body === null && (cacheControl === undefined || !wantsOwnCall(cacheControl));
}

function throwAppError(error: unknown): never {
  throw toAppError(error);
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
