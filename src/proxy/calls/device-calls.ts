import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { Redactor } from '../../secrets/redactor.js';
import { Cancellation } from '../connections/cancellation.js';
import { Collector, type DeviceAnswer, envelopeIn } from '../connections/collector.js';
import { type PooledSession, SessionPool } from '../sessions/session-pool.js';
import { CallExecutor } from './call-executor.js';
import { type CallContext, type CallSink, type PreparedRequest } from './call-context.js';
import { type DeviceRequest, prepareRequest } from './prepared-request.js';
import { StreamedAnswer, type DeviceStream } from './streamed-answer.js';

/*
 * How other modules call a device, except to check a login or an address (`SingleLogins`, `AddressVisits`).
 * Callers have authorized the call; `call-executor.ts` makes it. Passthrough, jobs and fan-outs share sessions, slots and
 * breakers. `call` parses the answer; `answer` and `stream` return it unparsed.
 */

export type { DeviceAnswer } from '../connections/collector.js';
export type { CallContext } from './call-context.js';
export type { DeviceRequest } from './prepared-request.js';
export type { DeviceStream } from './streamed-answer.js';

@Injectable()
export class DeviceCalls {
  constructor(
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'execute'>,
    @Inject(SessionPool) private readonly sessions: Pick<SessionPool, 'endUnused' | 'reset'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DEVICE_BODY_LIMIT_BYTES'>,
  ) {}

  /**
   * Calls a device and reads its answer.
   * @throws AppError `device_refused` with the device's own error objects when it refuses; the other `device_…` codes
   *   of the error table when there is no answer; `device_outcome_unknown` when a write was sent and its answer was
   *   lost
   */
  async call(deviceId: string, request: DeviceRequest, context: CallContext): Promise<DeviceAnswer> {
    return envelopeIn(await this.answer(deviceId, request, context), this.redactor);
  }

  /**
   * Calls a device and returns its answer unparsed, a refusal included.
   * @throws AppError as `call`, but `device_refused` never
   */
  async answer(deviceId: string, request: DeviceRequest, context: CallContext): Promise<Collector> {
    const answer = new Collector();
    await this.execute(deviceId, prepareRequest(request, context), context, answer, new Cancellation());
    return answer;
  }

  /**
   * Calls a device and streams its answer, whatever its status. Destroying `body` cancels the call.
   * @throws AppError as `call`, but `device_refused` never
   */
  async stream(deviceId: string, request: DeviceRequest, context: CallContext): Promise<DeviceStream> {
    const prepared = prepareRequest(request, context, this.config.DEVICE_BODY_LIMIT_BYTES);
    const answer = new StreamedAnswer();
    return answer.of(this.execute(deviceId, prepared, context, answer, answer.cancellation));
  }

  /** Ends the sessions on a device, so that the next call logs in again. */
  endSessions(deviceId: string): Promise<void> {
    return this.sessions.reset(deviceId);
  }

  /** Ends a session on its device, unless others use it. */
  endUnusedSession(session: PooledSession): Promise<void> {
    return this.sessions.endUnused(session);
  }

  private async execute(
    deviceId: string,
    request: PreparedRequest,
    context: CallContext,
    sink: CallSink,
    cancellation: Cancellation,
  ): Promise<void> {
    const { signal } = context;
    const cancel = () => cancellation.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel);
    try {
      await this.executor.execute(deviceId, request, context, sink, cancellation);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}
