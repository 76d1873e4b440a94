import { type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { PATHS } from '../../device-api/contract.js';
import { isPasswordDemand } from '../../device-api/password-demand.js';
import { Locks } from '../../auth/access/locks.service.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { Redactor } from '../../secrets/redactor.js';
import { Admission } from '../admission/admission.js';
import { bulkCall, checkPath, isBulkPath, singleCall, type CallRequest } from '../connections/call-request.js';
import { type Collector, CollectedAnswer, jsonProblem } from '../connections/collector.js';
import { refusalFacts } from '../connections/device-errors.js';
import { ReachabilityWatch } from '../connections/reachability-watch.js';
import { requestHeaders } from '../connections/request-headers.js';
import { Slots } from '../connections/slots.js';
import { Transport } from '../connections/transport.js';
import { SessionPool } from '../sessions/session-pool.js';
import { Breakers } from './breakers.js';
import { type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { callLimits } from './call-limits.js';
import { DeviceCall, type ProcessOfCalls } from './device-call.js';
import { StreamedAnswer, type DeviceStream } from './streamed-answer.js';
import { WriteRecords } from './write-record.js';

/*
 * How other modules call a device, except to check a login or an address (`SingleLogins`, `AddressVisits`).
 * Callers have authorized the call; `device-call.ts` makes it. Passthrough, jobs and fan-outs share sessions, slots and
 * breakers. `call` parses the answer; `answer` and `stream` return it unparsed; `start` passes it to a sink.
 */

export type { CallContext } from './call-context.js';
export type { DeviceStream } from './streamed-answer.js';

export interface DeviceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Canonical device path with query; begins with /api/. */
  readonly path: string;
  /** A JSON body … */
  readonly json?: unknown;
  /** … or a streamed one, with its headers. */
  readonly body?: Readable;
  /** content-type, content-length, accept; others are not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the complete call once it has a slot; absent: 15 s for a read, 30 s for a write, more for known slow paths. */
  readonly deadlineMs?: number;
  /** Largest answer. */
  readonly maxBytes?: number;
}

export interface DeviceAnswer {
  readonly status: number;
  /** The parsed envelope. */
  readonly body: unknown;
}

/** Answers that are parsed into memory. */
const MAX_JSON_BYTES = 2 * 1024 * 1024;

@Injectable()
export class DeviceCalls implements ProcessOfCalls {
  readonly slots = new Slots();
  private isClosing = false;
  private readonly writeListeners: ((deviceId: string, call: CallRequest) => void)[] = [];

  constructor(
    @Inject(DevicesService)
    readonly devices: Pick<DevicesService, 'get' | 'getCached' | 'storeObservations' | 'noteSeen'>,
    @Inject(Transport) readonly transport: Transport,
    @Inject(SessionPool) readonly sessions: SessionPool,
    @Inject(Breakers) readonly breakers: Breakers,
    @Inject(Admission) readonly admission: Admission,
    @Inject(WriteRecords) readonly records: WriteRecords,
    @Inject(ReachabilityWatch) readonly reachability: Pick<ReachabilityWatch, 'mayBelieve'>,
    @Inject(Locks) readonly locks: Pick<Locks, 'refuseDevice' | 'refuseWrites'>,
    @Inject(Clock) readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
    @Inject(CONFIG) readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Calls a device and reads its answer.
   * @throws AppError `device_refused` with the device's own error objects when it refuses; the other `device_…` codes
   *   of the error table when there is no answer; `device_outcome_unknown` when a write was sent and its answer was
   *   lost
   */
  async call(deviceId: string, request: DeviceRequest, context: CallContext): Promise<DeviceAnswer> {
    const answer = await this.answer(deviceId, request, context);
    const body = answer.json();
    const { status } = answer;
    const says = (body as { success?: unknown } | null | undefined)?.success;
    if (status >= 400 || says === false)
      throw new AppError('device_refused', this.redactor.redacted(refusalFacts(status, body)));
    if (status >= 300 || says !== true) {
      const reason = jsonProblem(answer.bytes()) ?? 'it has no envelope of a device';
      throw new AppError('device_answer_invalid', { deviceStatus: status, reason });
    }
    return { status, body };
  }

  /**
   * Calls a device and returns its answer unparsed, a refusal included.
   * @throws AppError as `call`, but `device_refused` never
   */
  async answer(deviceId: string, request: DeviceRequest, context: CallContext): Promise<Collector> {
    const answer = new CollectedAnswer();
    this.start(deviceId, this.prepare(request, context), context, answer);
    await answer.done;
    return answer;
  }

  /**
   * Prepares a request for `start`, once for all devices that get the same one.
   * @throws AppError `path_refused`
   */
  prepare(request: DeviceRequest, context: CallContext): PreparedRequest {
    return prepare(request, request.maxBytes ?? MAX_JSON_BYTES, context);
  }

  /**
   * Calls a device and streams its answer, whatever its status. Destroying `body` cancels the call.
   * @throws AppError as `call`, but `device_refused` never
   */
  async stream(deviceId: string, request: DeviceRequest, context: CallContext): Promise<DeviceStream> {
    const prepared = prepare(request, request.maxBytes ?? this.config.DEVICE_BODY_LIMIT_BYTES, context);
    const answer = new StreamedAnswer();
    answer.call = this.start(deviceId, prepared, context, answer);
    return answer.begun;
  }

  /**
   * Makes the call of an authorized request. `sink` gets the answer, a refusal included, or the AppError that `call`
   * throws; it may get them before this returns.
   */
  start(deviceId: string, request: PreparedRequest, context: CallContext, sink: CallSink): DeviceCall {
    const call = this.open(deviceId, request, context, sink);
    call.start();
    return call;
  }

  /** As `start`, for a caller that starts the call itself. */
  open(deviceId: string, request: PreparedRequest, context: CallContext, sink: CallSink): DeviceCall {
    return new DeviceCall(this, deviceId, request, context, sink);
  }

  /** Ends the sessions on a device, so that the next call logs in again. */
  endSessions(deviceId: string): Promise<void> {
    return this.sessions.reset(deviceId);
  }

  /** Refuses new calls; running ones continue. */
  close(): void {
    this.isClosing = true;
  }

  /** Calls `listener` when a write to a device begins and again when it has ended, with any result. */
  onWrite(listener: (deviceId: string, call: CallRequest) => void): void {
    this.writeListeners.push(listener);
  }

  noteWrite(deviceId: string, call: CallRequest): void {
    for (const listener of this.writeListeners) listener(deviceId, call);
  }

  requireCallable(device: Readonly<Device>, { isUnlocked }: CallContext): void {
    if (this.isClosing) throw new AppError('shutting_down');
    if (!isUnlocked) this.locks.refuseDevice(device);
    if (device.state === 'trust_changed') {
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    }
  }

  async listAccounts(deviceId: string, { actor, signal }: CallContext, inBackground: boolean): Promise<unknown> {
    const context = { actor, inBackground, ...(signal ? { signal } : {}) };
    return (await this.call(deviceId, { method: 'GET', path: PATHS.users }, context)).body;
  }

  measure(method: string, outcome: string, ms: number): void {
    this.metrics.deviceCalls.observe({ method, outcome }, ms / 1000);
  }

  /**
   * Records that the device is online, or that it demands a new password before anything else. The call neither waits for
   * this nor fails with it.
   */
  recordSeen({ device, account, readAccount }: DeviceWithAccounts, demand: string | null = null): void {
    const now = this.clock.now();
    if (demand !== null) {
      if (device.state === 'credentials_refused' && device.stateReason === demand) this.devices.noteSeen(device, now);
      else
        void this.storeObservations(device.id, {
          seenAt: now,
          state: 'credentials_refused',
          stateReason: demand,
          failedChecks: 0,
        });
      return;
    }
    // One account may be refused while another one works.
    const failedLogins = (account?.failedLogins ?? 0) + (readAccount?.failedLogins ?? 0);
    const isHalfUsable = failedLogins > 0 || (readAccount !== null && isPasswordDemand(device.stateReason));
    const isRefused = device.state === 'credentials_refused' && isHalfUsable;
    const isKnown = (device.state === 'online' && device.failedChecks === 0) || isRefused;
    if (isKnown) this.devices.noteSeen(device, now);
    else void this.storeObservations(device.id, { seenAt: now, state: 'online', stateReason: null, failedChecks: 0 });
  }

  async storeObservations(deviceId: string, observations: Observations): Promise<void> {
    try {
      await this.devices.storeObservations(deviceId, observations);
    } catch (error) {
      if (error instanceof AppError && error.code === 'device_not_found') return; // the device was removed since
      this.log.warn({ deviceId, ...errorFields(error) }, 'The observations of a call could not be stored');
    }
  }

  /** The caller of a call could not take its answer or its error, which is a defect of the gateway. */
  logSinkError(deviceId: string, thrown: unknown): void {
    this.log.error({ deviceId, ...errorFields(thrown) }, 'The answer of a call could not be passed on');
  }
}

function prepare(request: DeviceRequest, maxBytes: number, context: CallContext): PreparedRequest {
  const { actor, job, inBackground, beforeWrite } = context;
  const { method, json, headers = {} } = request;
  const path = checkPath(request.path);
  let body: Buffer | Readable | null = json === undefined ? (request.body ?? null) : Buffer.from(JSON.stringify(json));
  let call = singleCall(method, path);
  if (isBulkPath(path)) {
    if (!Buffer.isBuffer(body)) throw new Error('A bulk request must be `json`');
    ({ call, body } = bulkCall(method, path, body));
  }
  return {
    call,
    body,
    headers: requestHeaders({
      accept: headers['accept'],
      contentType: json === undefined ? headers['content-type'] : 'application/json',
      contentLength: json === undefined ? headers['content-length'] : undefined,
      requestId: actor.requestId,
    }),
    limits: callLimits(call, maxBytes, request.deadlineMs),
    inBackground: inBackground ?? job !== undefined,
    beforeWrite,
  };
}
