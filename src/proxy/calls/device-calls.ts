import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ExchangeError, type AnswerHeaders, type Flow } from '../../device-api/http.js';
import { Locks } from '../../auth/access/locks.service.js';
import { PATHS } from '../../device-api/contract.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Redactor } from '../../platform/secrets/redactor.js';
import { type CallSink, type Timing } from '../connections/attempt.js';
import { Admission, type CallPermit, type CallPriority } from '../admission/admission.js';
import { Breakers } from './breakers.js';
import { callLimits } from './call-limits.js';
import { Collector } from '../connections/collector.js';
import { Cancellation } from '../connections/cancellation.js';
import { exchangeError, refusalFacts } from '../connections/device-errors.js';
import { bulkCall, checkPath, isBulkPath, singleCall, type CallRequest } from '../connections/call-request.js';
import { refuseMarkers } from './marker-check.js';
import { areTouched, touchedAccounts } from './own-accounts.js';
import { requestHeaders } from './request-headers.js';
import { DeviceCallExecutor, type CallContext, type PreparedRequest } from './device-call-executor.js';
import { WriteRecords, type Ending, type WriteRecord } from './write-record.js';

/*
 * The only way for other modules to call a device. Callers have authorized the call. The steps of `forward`:
 *
 *   admission (jobs) -> locks, trust, breaker -> audit opened (writes) -> `DeviceCallExecutor` -> audit closed
 *
 * Passthrough, jobs and fan-outs share sessions, slots and breakers. `call` parses the answer; `answer` and `stream`
 * return it unparsed; `forward` passes it to a sink.
 */

export type { CallContext } from './device-call-executor.js';

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

export interface DeviceStream {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: Readable;
  readonly timing: Readonly<Timing>;
  /** Settles when the answer is complete and the audit entry closed; rejects with the error that ends `body`. */
  readonly done: Promise<void>;
}

/** Answers that are parsed into memory. */
const MAX_JSON_BYTES = 2 * 1024 * 1024;

@Injectable()
export class DeviceCalls {
  private closing = false;
  private readonly writeListeners: ((deviceId: string) => void)[] = [];

  constructor(
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'getCached'>,
    @Inject(DeviceCallExecutor) private readonly executor: DeviceCallExecutor,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Breakers) private readonly breakers: Breakers,
    @Inject(WriteRecords) private readonly records: WriteRecords,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseDevice' | 'refuseWrites'>,
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
    if (status >= 300 || says !== true) throw new AppError('device_answer_invalid', { deviceStatus: status });
    return { status, body };
  }

  /**
   * Calls a device and returns its answer unparsed, a refusal included.
   * @throws AppError as `call`, but `device_refused` never
   */
  async answer(deviceId: string, request: DeviceRequest, context: CallContext): Promise<Collector> {
    const answer = new Collector();
    await this.forward(deviceId, this.prepare(request, context), context, answer);
    return answer;
  }

  /**
   * Prepares a request for `forward`, once for all devices that get the same one.
   * @throws AppError `path_refused`
   */
  prepare(request: DeviceRequest, context: CallContext): PreparedRequest {
    return prepare(request, request.maxBytes ?? MAX_JSON_BYTES, context);
  }

  /**
   * Calls a device and streams its answer, whatever its status. Destroying `body` cancels the call.
   * @throws AppError as `call`, but `device_refused` never
   */
  stream(deviceId: string, request: DeviceRequest, context: CallContext): Promise<DeviceStream> {
    const cancellation = new Cancellation();
    return new Promise((resolve, reject) => {
      const prepared = prepare(request, request.maxBytes ?? this.config.DEVICE_BODY_LIMIT_BYTES, context);
      let flow: Flow | null = null;
      const body = new Readable({
        read: () => flow?.resume(),
        destroy: (error, closed) => {
          cancellation.cancel();
          closed(error);
        },
      });
      const sink: CallSink = {
        head: (status, headers, itsFlow, timing) => {
          flow = itsFlow;
          resolve({ status, headers: present(headers), body, timing, done });
        },
        data: (chunk) => {
          if (!body.push(chunk)) flow?.pause();
        },
      };
      const done = this.forward(deviceId, prepared, context, sink, cancellation).then(() => void body.push(null));
      done.catch((error: Error) => {
        reject(error);
        // After the head the caller has the stream, and gets the error there.
        if (flow) body.destroy(error);
      });
    });
  }

  /**
   * Makes the call of an authorized request. `sink` gets the answer, if there is one.
   * @param cancellation for callers with something faster than a signal
   * @returns the timing, once the answer is complete
   * @throws AppError as `call`, except `device_refused`: a refusal is an answer here
   */
  async forward(
    deviceId: string,
    request: PreparedRequest,
    context: CallContext,
    sink: CallSink,
    cancellation = new Cancellation(),
  ): Promise<Timing> {
    const { call, body } = request;
    const stopFollowing = context.signal && cancellation.followSignal(context.signal);
    let record: WriteRecord | null = null;
    let ending: Ending | null = null;
    let permit: CallPermit | null = null;
    try {
      if (context.job) permit = await this.waitForPermit(deviceId, context.job, cancellation);
      if (this.closing) throw new AppError('shutting_down');
      const registered = this.devices.getCached(deviceId) ?? (await this.devices.get(deviceId));
      this.requireCallable(registered.device, call, !request.inBackground);
      if (call.writes) {
        refuseMarkers(request);
        this.locks.refuseWrites();
        if (!context.rotatesPassword) await this.refuseOwnAccounts(registered, request, context);
        this.notifyWriteListeners(deviceId);
        const { actor, job, operationId } = context;
        const content = Buffer.isBuffer(body) ? body : null;
        record = await this.records.open(call, { deviceId, actor, jobId: job?.id, operationId, body: content });
      }
      const caller = context.actor.actorId;
      const { attempt, timing } = await this.executor.execute(registered, request, caller, cancellation, sink);
      ending = { kind: 'answered', status: attempt.status, body: attempt.keptJson(), answer: attempt.measures() };
      return timing;
    } catch (thrown) {
      const error = exchangeError(thrown, call.changes);
      const wasSent = thrown instanceof ExchangeError && thrown.sent;
      ending = { kind: wasSent ? 'lost' : 'not-sent', error };
      throw error;
    } finally {
      stopFollowing?.();
      if (permit) this.admission.release(permit);
      if (body instanceof Readable) body.destroy();
      if (call.writes) this.notifyWriteListeners(deviceId);
      if (record && ending) await this.records.close(record, ending);
    }
  }

  /** Ends the sessions on a device, so that the next call logs in again. */
  endSessions(deviceId: string): Promise<void> {
    return this.executor.endSessions(deviceId);
  }

  /** Calls `listener` when a write to a device begins and again when it has ended, with any result. */
  onWrite(listener: (deviceId: string) => void): void {
    this.writeListeners.push(listener);
  }

  /** Refuses new calls; running ones continue. */
  close(): void {
    this.closing = true;
  }

  /** Waits until a call of a job may start. */
  private waitForPermit(deviceId: string, job: CallPriority, cancellation: Cancellation): Promise<CallPermit> {
    const hasConnection = job.hasConnection || this.executor.isOpen(deviceId);
    return this.admission.acquire({ fromBatch: job.fromBatch, hasConnection }, cancellation);
  }

  private notifyWriteListeners(deviceId: string): void {
    for (const listener of this.writeListeners) listener(deviceId);
  }

  /**
   * Refuses a write that gives an account of the gateway another password, or removes it. The ids of accounts are the
   * device's, so a read compares their names.
   * @throws AppError `own_account`; as `call`
   */
  private async refuseOwnAccounts(
    { device, account, readAccount }: DeviceWithAccounts,
    request: PreparedRequest,
    { actor, signal }: CallContext,
  ): Promise<void> {
    const touched = touchedAccounts(request);
    if (!touched) return;
    const own = [account, readAccount].flatMap((known) => (known ? [known.username] : []));
    if (touched === 'own' || own.some((name) => touched.has(name))) throw new AppError('own_account');
    const { body } = await this.call(
      device.id,
      { method: 'GET', path: PATHS.users },
      { actor, inBackground: request.inBackground ?? false, ...(signal ? { signal } : {}) },
    );
    if (areTouched(own, touched, body)) throw new AppError('own_account');
  }

  /** Refuses a call that may not be made now, before anything is opened for it. */
  private requireCallable(device: Readonly<Device>, call: CallRequest, isInteractive: boolean): void {
    this.locks.refuseDevice(device);
    if (device.state === 'trust_changed') {
      throw new AppError('device_trust_changed', { pinned: device.trustPin, offered: device.offeredPin });
    }
    this.breakers.check(device, call, isInteractive);
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

function present(headers: AnswerHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => !!entry[1]),
  );
}
