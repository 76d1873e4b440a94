import { Inject, Injectable } from '@nestjs/common';
import { NO_FLOW } from '../../device-api/exchange.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AnswerCache, type CompleteAnswer } from './answer-cache.js';
import { CallServices } from './call-services.js';
import { type CallSink, type PreparedRequest } from './call-context.js';
import { type DeviceCall } from './device-call.js';
import { DeviceCalls } from './device-calls.js';
import { SharedAnswer, type ByteBudget } from './shared-answer.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. Each caller is
 * authorized for the read before; the answer is redacted for each caller without the right to secrets.
 *
 * Answers are cached only for callers that send `Cache-Control: max-age`. A read after a write must not get an older
 * answer, so a write drops the cache of its device, and a read that began before the end of a write is neither shared
 * with a read after it nor stays cached. Each process has its own cache.
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

/** The size of the cache of a process; one answer takes at most 1 MiB. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The buffer of all answers that arrive for several callers. */
const BUFFER_BYTES = 64 * 1024 * 1024;

/** The largest max-age: an older answer would mislead people. */
const MAX_AGE_S = 300;

/**
 * Empty lists that stay: a map whose entries come and go is rebuilt all the time
 * (docs/adr/0023-objects-on-the-path-of-a-call.md).
 */
const MAX_EMPTY_LISTS = 20_000;

@Injectable()
export class SharedReads {
  /** By device. */
  private readonly running = new Map<string, DeviceCall[]>();
  private readonly cache = new AnswerCache(CACHE_BYTES);
  private readonly budget: ByteBudget = { bytesLeft: BUFFER_BYTES };

  constructor(
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(CallServices) services: Pick<CallServices, 'onWrite'>,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    services.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /** Answers a request from the cache, from a running call, or by a new call. Its sink is told everything. */
  forward(request: ForwardedRequest): void {
    const { prepared, deviceId, cacheControl } = request;
    if (prepared.call.method !== 'GET' || prepared.body !== null) return this.forwardAlone(request);
    const maxAgeS = cacheControl === undefined ? 0 : acceptedAge(cacheControl);
    if (maxAgeS === null) return this.forwardAlone(request);
    const key = `${request.variant}\n${prepared.call.path.sentPath}`;
    if (maxAgeS > 0 && this.answerFromCache(request, key, maxAgeS)) return undefined;
    const found = this.running.get(deviceId)?.find((call) => call.shareKey === key && isJoinable(call));
    const call = found ?? this.openRead(request, key);
    request.call = call;
    if (maxAgeS > 0) this.share(call).cache ??= (answer) => this.cache.store(deviceId, key, answer);
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
    const openedAt = this.clock.nowMs() - (performance.now() - call.openedAt);
    const shared = new SharedAnswer(call, this.budget, openedAt);
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

  /** Answers from the cache when there is an entry young enough. */
  private answerFromCache(request: ForwardedRequest, key: string, maxAgeS: number): boolean {
    const { deviceId, sink } = request;
    const cached = this.cache.find(deviceId, key);
    const ageS = cached ? Math.max(0, Math.ceil((this.clock.nowMs() - cached.startedAt) / 1000)) : 0;
    if (!cached || ageS > maxAgeS) {
      request.addHeader('cache-status', `fleetgate; fwd=${cached ? 'stale' : 'miss'}`);
      return false;
    }
    request.addHeader('cache-status', `fleetgate; hit; ttl=${maxAgeS - ageS}`);
    request.addHeader('age', String(ageS));
    writeAnswer(cached, sink, 0);
    return true;
  }

  /** Removes a call, so that no caller joins it. */
  private readonly close = (call: DeviceCall): void => {
    const calls = this.running.get(call.deviceId) ?? [];
    const index = calls.indexOf(call);
    if (index >= 0) calls.splice(index, 1);
  };

  /** Drops cached answers and running reads of a device: they may be outdated. */
  private drop(deviceId: string): void {
    this.cache.drop(deviceId);
    for (const { sink } of this.running.get(deviceId)?.splice(0) ?? []) {
      if (sink instanceof SharedAnswer) sink.cache = null;
    }
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

/**
 * The age of an answer that the caller accepts (RFC 9111, section 5.2.1).
 * @returns seconds; null when it wants a call of its own (`no-cache`, `no-store`)
 */
export function acceptedAge(cacheControl: string): number | null {
  let maxAgeS = 0;
  for (const part of cacheControl.toLowerCase().split(',')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === 'no-cache' || name === 'no-store') return null;
    const seconds = /^"?(\d{1,9})"?$/.exec(value ?? '')?.[1];
    if (name === 'max-age' && seconds !== undefined) maxAgeS = Math.min(Number(seconds), MAX_AGE_S);
  }
  return maxAgeS;
}
