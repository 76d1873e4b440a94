import { type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { PATHS } from '../../device-api/contract.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { areTouched, touchedAccounts } from './own-accounts.js';
import { AppError } from '../../platform/errors.js';
import { Redactor } from '../../platform/secrets/redactor.js';
import { type Collector, CollectedAnswer, jsonProblem } from '../connections/collector.js';
import { refusalFacts } from '../connections/device-errors.js';
import { bulkCall, checkPath, isBulkPath, singleCall } from '../connections/call-request.js';
import { callLimits } from './call-limits.js';
import { CallServices } from './call-services.js';
import { type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { DeviceCall } from './device-call.js';
import { requestHeaders } from '../connections/request-headers.js';
import { StreamedAnswer, type DeviceStream } from './streamed-answer.js';

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
export class DeviceCalls {
  constructor(
    @Inject(CallServices) private readonly services: CallServices,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
  ) {
    services.refuseOwnAccounts = (registered, request, context) => this.refuseOwnAccounts(registered, request, context);
  }

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
    const prepared = prepare(request, request.maxBytes ?? this.services.config.DEVICE_BODY_LIMIT_BYTES, context);
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
    return new DeviceCall(this.services, deviceId, request, context, sink);
  }

  /** Ends the sessions on a device, so that the next call logs in again. */
  endSessions(deviceId: string): Promise<void> {
    return this.services.sessions.reset(deviceId);
  }

  /** Refuses new calls; running ones continue. */
  close(): void {
    this.services.isClosing = true;
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
