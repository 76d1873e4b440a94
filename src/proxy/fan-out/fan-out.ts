import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../../device-api/contract.js';
import { type Principal } from '../../auth/access/access.js';
import { RateLimits } from '../../auth/limits/rate-limits.js';
import { callRefusal } from '../../devices/fleet-files/fleet-preview.service.js';
import { type FleetMember, FleetService } from '../../devices/fleet-files/fleet.service.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { toAppError } from '../../platform/http/problem.js';
import { Admission, FAN_OUT_PER_TURN } from '../admission/admission.js';
import { StartsPerTurn } from '../../platform/event-loop.js';
import { CollectedAnswer } from '../connections/collector.js';
import { DeviceCalls, type DeviceRequest } from '../calls/device-calls.js';
import { type FanOutInput, type FanOutLine, type FanOutOutcome, type ResultLine } from './fan-out.contract.js';
import { type FanOutReader } from './fan-out-readers.js';
import { Tally } from './fan-out-tally.js';
import { ReadAnswers, type ReadAnswer, type StorableAnswer } from './read-answers.js';
import { type Cancellation } from '../connections/cancellation.js';
import { bulkCall, checkPath, isBulkPath, singleCall, type Act } from '../connections/call-request.js';
import { SiteQueues } from '../admission/site-queues.js';
import { type DeviceCall } from '../calls/device-call.js';
import { SecretReads, type CloseRead } from '../calls/secret-reads.js';

/*
 * Calls many devices at once and streams the answers. Every device of the selector gets exactly one line; a stored
 * fan-out records it, too. Sessions, slots and breakers are those of every other call.
 */

/** The largest answer of one device; a fan-out is for looking at many, not for moving files. */
const ANSWER_BYTES_MAX = 256 * 1024;

/** Lines and bytes that may wait for a slow reader before no more calls start. */
const LINES_AHEAD = 1_000;
const BYTES_AHEAD = 4 * 1024 * 1024;

/** Errors that prove that the device was not reached. */
const UNREACHABLE: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_timeout',
  'device_tls_failed',
  'device_circuit_open',
  'device_answer_cut',
]);

/** Errors before any call to the device. */
const NOT_CALLED: ReadonlySet<ErrorCode> = new Set([
  'device_has_no_credentials',
  'device_credentials_refused',
  'device_trust_changed',
  'device_address_refused',
  'device_not_found',
  'identity_mismatch',
  'shutting_down',
  'locked',
  'call_given_up',
]);

@Injectable()
export class FanOut {
  constructor(
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
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
  async members(input: FanOutInput, actor: Principal, ids?: readonly string[]): Promise<FleetMember[]> {
    const acts = actsOf(input).map(({ writes, path }) => ({
      action: writes ? ('device.call_write' as const) : ('device.call_read' as const),
      path,
    }));
    const members = ids
      ? await this.fleet.membersOf(ids, actor.rights, acts)
      : await this.fleet.members(input.selector, actor.rights, acts, input.expectedDigest);
    const called = input.dryRun ? 0 : members.filter((member) => skipReason(member) === null).length;
    // The request itself was charged as one call.
    if (called > 1) await this.limits.take(actor, called - 1);
    return members;
  }

  /**
   * Calls devices: yields a line per device, those of the same moment together, and a summary last. When the reader
   * stops, the calls stop.
   * @param reader tells at once of a disconnected or stalled reader; otherwise that is noticed with the next line
   * @param stored records the outcomes of a stored fan-out
   */
  async *run(
    members: readonly FleetMember[],
    input: FanOutInput,
    actor: Principal,
    reader: Pick<FanOutReader, 'cancellation' | 'stalled'>,
    stored?: FanOutRecord,
  ): AsyncGenerator<readonly FanOutLine[]> {
    const startedAt = performance.now();
    const tally = new Tally(input.policy);
    const line = (result: ResultLine, answer: StorableAnswer | null = null): ResultLine => {
      stored?.add(result, answer);
      return tally.add(result) ? result : { ...result, body: undefined };
    };
    const callable: FleetMember[] = [];
    const withoutCall: ResultLine[] = [];
    for (const member of members) {
      const reason = skipReason(member);
      if (reason) withoutCall.push(line(ended(member, 'skipped', reason)));
      else if (input.dryRun) withoutCall.push(line(ended(member, 'would_call', null)));
      else callable.push(member);
    }
    if (withoutCall.length > 0) yield withoutCall;
    const { read, reads } = await this.answersFor(actor, callable, input, stored !== undefined);
    const sites = new SiteQueues(callable, siteOf, input.policy.perSite);
    const stopReason = () => tally.stopReason() ?? reader.stalled;
    const isStopped = () => stopReason() !== null;
    const { cancellation } = reader;
    const operationId = stored?.operationId ?? randomUUID();
    let notCalled: readonly FleetMember[] = [];
    try {
      yield* this.callAll(sites, input, actor, { counted: line, read, reads, isStopped, operationId, cancellation });
    } finally {
      notCalled = sites.drain();
      for (const { id } of notCalled) reads.get(id)?.(new AppError('call_given_up'));
    }
    const stopped = stopReason();
    const lines = notCalled.map((member) => line(ended(member, 'skipped', 'stopped')));
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
    isStored: boolean,
  ): Promise<Pick<FanOutRun, 'read' | 'reads'>> {
    const acts = actsOf(input);
    const isFresh = await this.secretReads.isFresh(actor, acts);
    const inClear = new Set(members.flatMap(({ id, seesSecrets }) => (isFresh && seesSecrets ? [id] : [])));
    const reads = await this.secretReads.open(actor, [...inClear], acts);
    const { redactor } = this.secretReads;
    const isBulk = isBulkPath(checkPath(requestOf(input).path));
    const paths = acts.map(({ path }) => path);
    const answers = new ReadAnswers((body) => redactor.answer(body, paths, isBulk).value, isStored);
    const read = (deviceId: string, bytes: Buffer) => answers.read(bytes, inClear.has(deviceId));
    return { read, reads };
  }

  /**
   * Yields results in the order of their arrival, those of one turn of the event loop together. Each is counted at
   * once, so that the next call does not wait for the reader.
   */
  private async *callAll(
    sites: SiteQueues<FleetMember>,
    input: FanOutInput,
    actor: Principal,
    { counted, isStopped, operationId, cancellation: readerCancellation, ...run }: FanOutRun,
  ): AsyncGenerator<readonly ResultLine[]> {
    const context = { actor, operationId, inBackground: true };
    const request = this.calls.prepare(requestOf(input), context);
    const underWay = new Set<DeviceCall>();
    const lines = new LinesAhead();
    let isLeft = readerCancellation.isCancelled;
    const start = (member: FleetMember) => {
      const answer = new CollectedAnswer();
      const call = this.calls.open(member.id, request, context, answer);
      underWay.add(call);
      const permit = this.admission.fanOutStarted();
      call.start();
      void this.resultOf(member, answer, run).then(({ result, bytes, stored }) => {
        underWay.delete(call);
        this.admission.fanOutEnded(permit);
        sites.leave(siteOf(member));
        lines.add(counted(result, stored), bytes);
        fill();
      });
    };
    const leave = () => {
      isLeft = true;
      for (const call of underWay) call.cancel();
    };
    const isOver = () => isLeft || isStopped();
    const starts = new StartsPerTurn(FAN_OUT_PER_TURN, () => fill());
    // One call always runs, so that a fan-out goes on however many others there are.
    const hasCapacity = () =>
      underWay.size === 0 || (underWay.size < input.policy.concurrency && this.admission.hasCapacity);
    const fill = () => {
      while (!isOver() && !lines.areMany && starts.hasLeft && hasCapacity()) {
        const member = sites.take();
        if (!member) return;
        starts.take();
        start(member);
      }
    };
    try {
      readerCancellation.onCancel(leave);
      yield* lines.groups(fill, underWay, () => !starts.hasLeft && !isOver());
    } finally {
      readerCancellation.onCancel(null);
      leave(); // all is done and no call runs
    }
  }

  private async resultOf(
    member: FleetMember,
    answer: CollectedAnswer,
    { read, reads }: Pick<FanOutRun, 'read' | 'reads'>,
  ): Promise<{ result: ResultLine; bytes: number; stored: StorableAnswer | null }> {
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    const close = reads.get(member.id);
    try {
      await answer.done.then(
        () => close?.(),
        (error: unknown) => {
          close?.(error);
          throw error;
        },
      );
      const { status } = answer;
      const bytes = answer.bytes();
      const { isRefusal, deviceCodes, shown, stored } = read(member.id, bytes);
      const isSuccess = status < 400 && !isRefusal;
      const outcome = isSuccess ? 'succeeded' : 'failed';
      const result = ended(member, outcome, isSuccess ? null : 'device_refused', ms(), {
        status,
        deviceCodes: deviceCodes.length > 0 ? deviceCodes : undefined,
        ...shown,
      });
      return { result, bytes: bytes.length, stored };
    } catch (error) {
      const { code } = toAppError(error);
      return { result: ended(member, outcomeOf(code), code, ms()), bytes: 0, stored: null };
    }
  }
}

/** Lines that wait for their reader. */
class LinesAhead {
  private lines: ResultLine[] = [];
  private bytes = 0;
  private wake: (() => void) | null = null;

  get areMany(): boolean {
    return this.lines.length >= LINES_AHEAD || this.bytes >= BYTES_AHEAD;
  }

  add(line: ResultLine, bytes: number): void {
    if (line.body !== undefined) this.bytes += bytes;
    this.lines.push(line);
    if (this.wake) setImmediate(this.wake);
    this.wake = null;
  }

  /**
   * Groups of lines, as they come.
   * @param fill starts calls, as many as may start now
   * @param mayStartLater whether more may start in the next turn of the event loop
   */
  async *groups(fill: () => void, underWay: ReadonlySet<unknown>, mayStartLater: () => boolean) {
    for (;;) {
      fill(); // a slow reader may have held it up
      if (this.lines.length > 0) {
        this.bytes = 0;
        yield this.lines.splice(0);
      } else if (underWay.size > 0) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (mayStartLater()) await nextTurn();
      else return;
    }
  }
}

/** What a stored fan-out records. */
export interface FanOutRecord {
  readonly operationId: string;
  /** @param answer without its secrets; null: there is none that can be stored */
  add(line: ResultLine, answer: StorableAnswer | null): void;
}

interface FanOutRun {
  readonly counted: (result: ResultLine, answer: StorableAnswer | null) => ResultLine;
  /** What an answer of a device says, and the caller may see. */
  readonly read: (deviceId: string, bytes: Buffer) => ReadAnswer;
  /** Closes the audit entries of unredacted reads. */
  readonly reads: ReadonlyMap<string, CloseRead>;
  readonly isStopped: () => boolean;
  readonly operationId: string;
  /** Of the reader. */
  readonly cancellation: Cancellation;
}

/** Why a device is skipped; null: it is called. */
const skipReason = (member: FleetMember): ErrorCode | null => (member.isAllowed ? callRefusal(member) : 'forbidden');

/** The acts of a fan-out, for rules on paths. @throws AppError `path_refused` */
export function actsOf({ request, requests }: FanOutInput): readonly Act[] {
  if (requests) return requests.flatMap(({ method, path }) => singleCall(method, checkPath(path)).acts);
  const { method, path: raw, json } = request!;
  const path = checkPath(raw);
  if (!isBulkPath(path)) return singleCall(method, path).acts;
  return bulkCall(method, path, Buffer.from(JSON.stringify(json ?? null))).call.acts;
}

/** Devices of a site share a queue; one that has no site has its own. */
const siteOf = ({ site, id }: FleetMember): string => (site === '' ? id : site);

function outcomeOf(code: ErrorCode): FanOutOutcome {
  if (code === 'device_outcome_unknown') return 'unknown';
  if (NOT_CALLED.has(code)) return 'skipped';
  return UNREACHABLE.has(code) ? 'unreachable' : 'failed';
}

/** Makes a line; fields that do not apply are undefined and not written. */
function ended(
  { id: deviceId, name }: FleetMember,
  outcome: ResultLine['outcome'],
  reason: string | null,
  ms?: number,
  { status, digest, body, bodyWithheld, deviceCodes }: Partial<ResultLine> = {},
): ResultLine {
  return { type: 'result', deviceId, name, outcome, reason, status, digest, body, bodyWithheld, deviceCodes, ms };
}

/** The request for the device; several become one bulk request, since each request costs a device a TLS handshake. */
function requestOf({ request, requests, policy }: FanOutInput): DeviceRequest {
  const limits = { deadlineMs: policy.timeoutMs, maxBytes: ANSWER_BYTES_MAX };
  if (request) {
    const { method, path, json } = request;
    return { method, path, ...(json === undefined ? {} : { json }), ...limits };
  }
  if (!requests) throw new AppError('invalid_input');
  const data = requests.map(({ method, path, json }) => ({ method, endpoint: path, ...bodyOf(json) }));
  return { method: 'POST', path: PATHS.bulk, json: { data }, ...limits };
}

/** A bulk item contains the body's `data` (specification, Endpoints). */
function bodyOf(json: unknown): { data?: unknown } {
  if (json === undefined) return {};
  return { data: isObject(json) && 'data' in json ? json['data'] : json };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
