import { Inject, Injectable } from '@nestjs/common';
import { NO_FLOW } from '../../device-api/exchange.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type CallSink } from '../calls/call-context.js';
import { type DeviceCall } from '../calls/device-call.js';
import { DeviceCalls } from '../calls/device-calls.js';
import { type PassthroughRequest } from './passthrough-request.js';
import { SharedAnswer, type ByteBudget, type CompleteAnswer } from './shared-answer.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. Each caller is
 * authorized for the read before; the answer is redacted for each caller without the right to secrets.
 *
 * A read after a write must not get an older answer, so a read that began before the end of a write is not shared with a
 * read after it.
 */

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
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
  ) {
    calls.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /** Answers a read from a running call, or by a new call. Its sink is told everything. */
  join(request: PassthroughRequest): void {
    const { accept, 'content-type': contentType } = request.request.headers;
    const key = `${accept ?? ''}\n${contentType ?? ''}\n${request.prepared.call.path.sentPath}`;
    const found = this.running.get(request.device.id)?.find((call) => call.shareKey === key && isJoinable(call));
    if (found) this.follow(request, found);
    else this.openRead(request, key).start();
  }

  private openRead(request: PassthroughRequest, key: string): DeviceCall {
    const deviceId = request.device.id;
    const call = request.open(this.calls);
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

  private follow(request: PassthroughRequest, call: DeviceCall): void {
    const { sink } = request;
    request.call = call;
    const from = performance.now();
    const shared = this.share(call);
    shared.join({
      sink,
      take: (answer) => {
        markCollapsed(request);
        writeAnswer(answer, sink, performance.now() - from);
      },
      callAlone: () => request.open(this.calls).start(),
      fail: (error) => {
        markCollapsed(request);
        sink.fail(error);
      },
    });
    if (request.isAbandoned) shared.leave(sink);
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

const markCollapsed = (request: PassthroughRequest): void =>
  request.addHeader('cache-status', 'fleetgate; fwd=miss; collapsed');

function writeAnswer({ status, headers, demand, body }: CompleteAnswer, sink: CallSink, waitedMs: number): void {
  sink.head(status, headers, NO_FLOW, { queueMs: 0, loginMs: 0, deviceMs: waitedMs, demand });
  if (body.length > 0) sink.data(body);
  sink.end();
}

/** Whether the caller wants a call of its own (RFC 9111, section 5.2.1). */
export const wantsOwnCall = (cacheControl: string): boolean =>
  cacheControl.split(',').some((part) => OWN_CALL.has(part.trim().toLowerCase()));

const OWN_CALL: ReadonlySet<string> = new Set(['no-cache', 'no-store']);
