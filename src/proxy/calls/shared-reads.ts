import { Inject, Injectable } from '@nestjs/common';
import { NO_FLOW } from '../../device-api/exchange.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { CallServices } from './call-services.js';
import { type CallSink, type PreparedRequest } from './call-context.js';
import { type DeviceCall } from './device-call.js';
import { DeviceCalls } from './device-calls.js';
import { SharedAnswer, type ByteBudget, type CompleteAnswer } from './shared-answer.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. Each caller is
 * authorized for the read before; the answer is redacted for each caller without the right to secrets.
 *
 * A read after a write must not get an older answer, so a read that began before the end of a write is not shared with a
 * read after it.
 */

/** A call to forward, and its caller. */
export interface ForwardedRequest {
  readonly deviceId: string;
  readonly prepared: PreparedRequest;
  readonly actor: Actor;
  /** Accept and Content-Type, which may change the answer besides the path. */
  readonly variant: string;
  readonly cacheControl: string | undefined;
  /** Gets the answer. */
  readonly sink: CallSink;
  /** Whether the caller disconnected. */
  readonly isAbandoned: boolean;
  /** The call whose answer the caller waits for; null: none. It can change until the answer begins. */
  call: DeviceCall | null;
  /** Adds a header to the answer before it begins. */
  addHeader(name: string, value: string): void;
}

/** The buffer of all answers that arrive for several callers. */
const BUFFER_BYTES = 64 * 1024 * 1024;

/**
 * Empty lists that stay: a map whose entries come and go is rebuilt all the time
 * (docs/adr/0023-objects-on-the-path-of-a-call.md).
 */
const MAX_EMPTY_LISTS = 20_000;

@Injectable()
export class SharedReads {
  /** By device. */
  private readonly running = new Map<string, DeviceCall[]>();
  private readonly budget: ByteBudget = { bytesLeft: BUFFER_BYTES };

  constructor(
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(CallServices) services: Pick<CallServices, 'onWrite'>,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
  ) {
    services.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /** Answers a request from a running call, or by a new call. Its sink is told everything. */
  forward(request: ForwardedRequest): void {
    const { prepared, deviceId, cacheControl } = request;
    if (prepared.call.method !== 'GET' || prepared.body !== null) return this.forwardAlone(request);
    if (cacheControl !== undefined && wantsOwnCall(cacheControl)) return this.forwardAlone(request);
    const key = `${request.variant}\n${prepared.call.path.sentPath}`;
    const found = this.running.get(deviceId)?.find((call) => call.shareKey === key && isJoinable(call));
    const call = found ?? this.openRead(request, key);
    request.call = call;
    if (found) this.join(request, found);
    else call.start();
    return undefined;
  }

  /** A caller no longer waits for its answer. */
  leave({ call, sink }: ForwardedRequest): void {
    if (call?.sink instanceof SharedAnswer) call.sink.leave(sink);
    else call?.cancel();
  }

  private forwardAlone(request: ForwardedRequest): void {
    this.open(request).start();
  }

  private open(request: ForwardedRequest): DeviceCall {
    const { deviceId, prepared, actor, sink } = request;
    request.call = this.calls.open(deviceId, prepared, { actor }, sink);
    if (request.isAbandoned) request.call.cancel();
    return request.call;
  }
  private openRead(request: ForwardedRequest, key: string): DeviceCall {
    const { deviceId } = request;
    const call = this.open(request);
    call.shareKey = key;
    call.onOver = this.close;
    const calls = this.running.get(deviceId);
    if (calls) calls.push(call);
    else {
      if (this.running.size >= MAX_EMPTY_LISTS) this.dropEmpty();
      this.running.set(deviceId, [call]);
    }
    return call;
  }

  /** Gives a call a sink for several callers. */
  private share(call: DeviceCall): SharedAnswer {
    if (call.sink instanceof SharedAnswer) return call.sink;
    const shared = new SharedAnswer(call, this.budget);
    call.sink = shared;
    return shared;
  }

  private join(request: ForwardedRequest, call: DeviceCall): void {
    const { sink } = request;
    const from = performance.now();
    this.share(call).join({
      sink,
      take: (answer) => {
        markCollapsed(request);
        writeAnswer(answer, sink, performance.now() - from);
      },
      callAlone: () => this.forwardAlone(request),
      fail: (error) => {
        markCollapsed(request);
        sink.fail(error);
      },
    });
  }

  /** Removes a call, so that no caller joins it. */
  private readonly close = (call: DeviceCall): void => {
    const calls = this.running.get(call.deviceId) ?? [];
    const index = calls.indexOf(call);
    if (index >= 0) calls.splice(index, 1);
  };

  /** Lets no caller join the running reads of a device: they may be outdated. */
  private drop(deviceId: string): void {
    this.running.get(deviceId)?.splice(0);
  }

  private dropEmpty(): void {
    for (const [deviceId, calls] of this.running) if (calls.length === 0) this.running.delete(deviceId);
  }
}

/** A read may be joined until its first caller gets bytes that are not stored. */
const isJoinable = (call: DeviceCall): boolean =>
  !call.isCancelled && (call.sink instanceof SharedAnswer ? call.sink.isOpen : !call.passedOn);

const markCollapsed = (request: ForwardedRequest): void =>
  request.addHeader('cache-status', 'fleetgate; fwd=miss; collapsed');

function writeAnswer({ status, headers, body }: CompleteAnswer, sink: CallSink, waitedMs: number): void {
  sink.head(status, headers, NO_FLOW, { queueMs: 0, loginMs: 0, deviceMs: waitedMs });
  if (body.length > 0) sink.data(body);
  sink.end();
}

/** Whether the caller wants a call of its own (RFC 9111, section 5.2.1). */
export const wantsOwnCall = (cacheControl: string): boolean =>
  cacheControl.split(',').some((part) => OWN_CALL.has(part.trim().toLowerCase()));

const OWN_CALL: ReadonlySet<string> = new Set(['no-cache', 'no-store']);
