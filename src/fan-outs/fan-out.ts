import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../device-api/contract.js';
import { type Principal } from '../auth/access/access.js';
import { type WorkAuthor } from '../auth/keys/work-authors.js';
import { RateLimits } from '../auth/limits/rate-limits.js';
import { type RequiredRight, type ScopedDevice } from '../auth/rights/rights.js';
import { callRefusal } from '../devices/fleet-files/fleet-preview.service.js';
import { type FleetMember, FleetService } from '../devices/fleet-files/fleet.service.js';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { Admission } from '../proxy/admission/admission.js';
import { CallExecutor } from '../proxy/calls/call-executor.js';
import { type DeviceRequest, prepareRequest } from '../proxy/calls/prepared-request.js';
import { type FanOutInput, type FanOutLine, type ResultLine } from './fan-outs.contract.js';
import { type Cancellation } from '../proxy/connections/cancellation.js';
import { type FanOutRecorder } from './fan-out-recorder.js';
import { FanOutRun, siteOf, type AnswerReading } from './fan-out-run.js';
import { Tally } from './fan-out-tally.js';
import { ReadAnswers, resultLine, type StorableAnswer, uncalledLine } from './answer-lines.js';
import { bulkCall, checkPath, isBulkPath, singleCall, type Act } from '../proxy/connections/call-request.js';
import { SiteQueues } from './site-queues.js';
import { SecretReads } from '../proxy/calls/secret-reads.js';

/*
 * Calls many devices at once and streams the answers. Every device of the selector gets exactly one line; a stored
 * fan-out records it, too. Sessions, slots and breakers are those of every other call.
 */

/** The largest answer of one device; a fan-out is for looking at many, not for moving files. */
const ANSWER_BYTES_MAX = 256 * 1024;

@Injectable()
export class FanOut {
  constructor(
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'execute'>,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(SecretReads) private readonly secretReads: SecretReads,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  /**
   * The devices of a selector that the actor can see, each with whether the actor may make these calls. Charges the
   * actor's rate limit with one call for each device to be called.
   * @param ids these devices instead of those of the selector
   * @throws AppError `invalid_selector`, `selection_changed`, `path_refused`, `rate_limited`, before any call
   */
  async members(input: FanOutInput, actor: Principal, ids?: readonly string[]): Promise<FanOutMember[]> {
    const needs = needsOf(input);
    const members = ids
      ? await this.fleet.membersOf(ids, actor.rights, needs)
      : await this.fleet.members(input.selector, actor.rights, needs, input.expectedDigest);
    const called = input.dryRun ? 0 : members.filter((member) => skipReason(member) === null).length;
    // The request itself was charged as one call.
    if (called > 1) await this.limits.take(actor, called - 1);
    return members;
  }

  /**
   * Calls devices: yields a line per device, those of the same moment together, and a summary last. When the reader
   * stops, the calls stop.
   * @param control may end it. Its author, when there is one, is judged before each call
   * @param stored records the outcomes of a stored fan-out
   */
  async *run(
    members: readonly FanOutMember[],
    input: FanOutInput,
    actor: Principal,
    control: FanOutControl,
    stored?: Pick<FanOutRecorder, 'add'>,
  ): AsyncGenerator<readonly FanOutLine[]> {
    const startedAt = performance.now();
    const tally = new Tally(input.policy);
    const counted = (result: ResultLine, answer: StorableAnswer | null = null): ResultLine => {
      stored?.add(result, answer);
      return tally.add(result) ? result : { ...result, body: undefined };
    };
    const callable: FleetMember[] = [];
    const withoutCall: ResultLine[] = [];
    for (const member of members) {
      const reason = skipReason(member);
      if (reason === null && !input.dryRun) callable.push(member);
      else withoutCall.push(counted(uncalledLine(member, reason)));
    }
    if (withoutCall.length > 0) yield withoutCall;
    const answers = await this.answersFor(actor, callable, input);
    const sites = new SiteQueues(callable, siteOf, input.policy.perSite);
    const stopReason = () => tally.stopReason() ?? control.stalled;
    const { operationId, author } = control;
    const beforeSend = author && ((device: ScopedDevice) => author.requireCall(device));
    const context = { actor, operationId, inBackground: true, ...(beforeSend ? { beforeSend } : {}) };
    const running = new FanOutRun(this.executor, this.admission, {
      sites,
      concurrency: input.policy.concurrency,
      request: prepareRequest(requestOf(input), context),
      context,
      cancellation: control.cancellation,
      isStopped: () => stopReason() !== null,
      counted,
      ...answers,
    });
    let notCalled: readonly FleetMember[] = [];
    try {
      yield* running.results();
    } finally {
      notCalled = sites.drain();
      for (const { id } of notCalled) answers.reads.get(id)?.(new AppError('call_given_up'));
    }
    const stopped = stopReason();
    const lines = notCalled.map((member) => counted(resultLine(member, 'skipped', 'stopped')));
    const ms = Math.round(performance.now() - startedAt);
    yield [...lines, { ...tally.summary(stopped, ms), operationId }];
  }

  /**
   * Decides how the caller sees answers: unredacted and audited with the right to read secrets; without it redacted,
   * the digest too, or withheld.
   */
  private async answersFor(
    actor: Principal,
    members: readonly FleetMember[],
    input: FanOutInput,
  ): Promise<AnswerReading> {
    const acts = actsOf(input);
    const isFresh = await this.secretReads.isFresh(actor, acts);
    const inClear = new Set(members.flatMap(({ id, seesSecrets }) => (isFresh && seesSecrets ? [id] : [])));
    const reads = await this.secretReads.open(actor, [...inClear], acts);
    const paths = acts.map(({ path }) => path);
    const isBulk = isBulkPath(checkPath(requestOf(input).path));
    const redact = (body: unknown) => this.secretReads.redactor.answer(body, paths, isBulk).value;
    const answers = new ReadAnswers(redact, input.keep);
    return { read: (deviceId, bytes) => answers.read(bytes, inClear.has(deviceId)), reads };
  }
}

/** What may end a fan-out, and in whose name it is made. */
export interface FanOutControl {
  /** Of all its writes in the audit. */
  readonly operationId: string;
  /** Gives up calls in progress, too. */
  readonly cancellation: Cancellation;
  /** Why no more calls may begin; null while they may. */
  readonly stalled: string | null;
  readonly author: Pick<WorkAuthor, 'requireCall'> | null;
}

/** A device of a fan-out. */
export interface FanOutMember extends FleetMember {
  /** Why it is not called, whatever its state. */
  readonly refusal?: ErrorCode;
}

/** Why a device is skipped; null: it is called. */
const skipReason = (member: FanOutMember): ErrorCode | null =>
  member.isAllowed ? (member.refusal ?? callRefusal(member)) : 'forbidden';

/** The rights that the calls of a fan-out need on each device. @throws AppError `path_refused` */
export const needsOf = (input: FanOutInput): readonly RequiredRight[] =>
  actsOf(input).map(({ writes, path }) => ({ action: writes ? 'device.call_write' : 'device.call_read', path }));

/** The acts of a fan-out, for rules on paths. @throws AppError `path_refused` */
export function actsOf({ request, requests }: FanOutInput): readonly Act[] {
  if (requests) return requests.flatMap(({ method, path }) => singleCall(method, checkPath(path)).acts);
  const { method, path: raw, json } = request!;
  const path = checkPath(raw);
  if (!isBulkPath(path)) return singleCall(method, path).acts;
  return bulkCall(method, path, Buffer.from(JSON.stringify(json ?? null))).call.acts;
}

/** The request for the device; several become one bulk request, since each request costs a device a TLS handshake. */
function requestOf({ request, requests, policy }: FanOutInput): DeviceRequest {
  const limits = { deadlineMs: policy.timeoutMs, maxBytes: ANSWER_BYTES_MAX };
  if (request) return { ...request, ...limits };
  const data = requests!.map(({ method, path, json }) => ({ method, endpoint: path, ...bodyOf(json) }));
  return { method: 'POST', path: PATHS.bulk, json: { data }, ...limits };
}

/** A bulk item contains the body's `data` (specification, Endpoints). */
const bodyOf = (json: unknown): { data?: unknown } =>
  json === undefined ? {} : { data: typeof json === 'object' && json !== null && 'data' in json ? json.data : json };
