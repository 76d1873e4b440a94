import { Inject, Injectable } from '@nestjs/common';
import { type Flow } from '../../device-api/http.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AnswerCache, type CompleteAnswer } from './answer-cache.js';
import { type CallSink } from '../connections/attempt.js';
import { DeviceCalls } from './device-calls.js';
import { type Cancellation } from '../connections/cancellation.js';
import { type PreparedRequest } from './device-call-executor.js';
import { SharedRead, type ReadRegistry, type ByteBudget } from './shared-read.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. Each caller is
 * authorized for the read before; the answer is redacted for each caller without the right to secrets.
 *
 * Answers are cached only for callers that send `Cache-Control: max-age`. A read after a write must not get an older
 * answer, so a write drops the cache of its device, and a read that began before the end of a write is neither shared
 * nor cached. Each process has its own cache.
 */

/** A call to forward, with the sink for its answer. */
export interface ForwardedRequest {
  readonly deviceId: string;
  readonly prepared: PreparedRequest;
  readonly actor: Actor;
  /** Accept and Content-Type, which may change the answer besides the path. */
  readonly variant: string;
  readonly cacheControl: string | undefined;
  readonly sink: CallSink;
  readonly cancellation: Cancellation;
  /** Adds a header to the answer before it begins. */
  readonly addHeader: (name: string, value: string) => void;
}

/** The size of the cache of a process; one answer takes at most 1 MiB. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The buffer of all answers that arrive for several callers. */
const BUFFER_BYTES = 64 * 1024 * 1024;

/** The largest max-age: an older answer would mislead people. */
const MAX_AGE_S = 300;

/** Empty lists that stay; `slots.ts` explains why. */
const MAX_EMPTY_LISTS = 20_000;

const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

@Injectable()
export class SharedReads implements ReadRegistry {
  /** By device. */
  private readonly running = new Map<string, SharedRead[]>();
  private readonly cache = new AnswerCache(CACHE_BYTES);
  private readonly budget: ByteBudget = { bytesLeft: BUFFER_BYTES };

  constructor(
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    calls.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /**
   * Answers a request from the cache, from a running call, or by a new call.
   * @throws AppError as `DeviceCalls.forward`
   */
  forward(request: ForwardedRequest): Promise<unknown> {
    const { prepared, deviceId, cacheControl } = request;
    if (prepared.call.method !== 'GET' || prepared.body !== null) return this.forwardAlone(request);
    const maxAgeS = cacheControl === undefined ? 0 : acceptedAge(cacheControl);
    if (maxAgeS === null) return this.forwardAlone(request);
    const key = `${request.variant}\n${prepared.call.path.sentPath}`;
    if (maxAgeS > 0 && this.answerFromCache(request, key, maxAgeS)) return Promise.resolve();
    const found = this.running.get(deviceId)?.find((read) => read.key === key);
    if (!found) return this.startRead(request, key, maxAgeS > 0);
    found.isCacheable ||= maxAgeS > 0;
    return this.joinRead(request, found);
  }

  private forwardAlone({ deviceId, prepared, actor, sink, cancellation }: ForwardedRequest): Promise<unknown> {
    return this.calls.forward(deviceId, prepared, { actor }, sink, cancellation);
  }

  private startRead(request: ForwardedRequest, key: string, isCacheable: boolean): Promise<void> {
    const { deviceId, prepared, actor, sink, cancellation } = request;
    const read = new SharedRead(deviceId, key, sink, this.budget, this, this.clock.nowMs());
    read.isCacheable = isCacheable;
    this.add(read);
    cancellation.onCancel(() => read.leaderLeft());
    if (cancellation.isCancelled) read.leaderLeft();
    return this.calls.forward(deviceId, prepared, { actor }, read, read.cancellation).then(
      () => {
        const answer = read.complete();
        if (answer?.status === 200) this.cache.store(deviceId, key, answer);
        this.close(read);
      },
      (error: unknown) => {
        read.fail(error);
        this.close(read);
        throw error;
      },
    );
  }

  private async joinRead(request: ForwardedRequest, read: SharedRead): Promise<unknown> {
    const { sink, cancellation, addHeader } = request;
    const collapsed = () => addHeader('cache-status', 'fleetgate; fwd=miss; collapsed');
    const from = performance.now();
    let answer: CompleteAnswer | null;
    try {
      answer = await read.join(cancellation);
    } catch (error) {
      collapsed();
      throw error;
    } finally {
      cancellation.onCancel(null);
    }
    if (!answer) return this.forwardAlone(request);
    collapsed();
    writeAnswer(answer, sink, performance.now() - from);
    return undefined;
  }

  /** Answers from the cache when there is an entry young enough. */
  private answerFromCache({ deviceId, sink, addHeader }: ForwardedRequest, key: string, maxAgeS: number): boolean {
    const cached = this.cache.find(deviceId, key);
    const ageS = cached ? Math.max(0, Math.ceil((this.clock.nowMs() - cached.startedAt) / 1000)) : 0;
    if (!cached || ageS > maxAgeS) {
      addHeader('cache-status', `fleetgate; fwd=${cached ? 'stale' : 'miss'}`);
      return false;
    }
    addHeader('cache-status', `fleetgate; hit; ttl=${maxAgeS - ageS}`);
    addHeader('age', String(ageS));
    writeAnswer(cached, sink, 0);
    return true;
  }

  private add(read: SharedRead): void {
    const reads = this.running.get(read.deviceId);
    if (reads) return void reads.push(read);
    if (this.running.size >= MAX_EMPTY_LISTS) this.dropEmpty();
    this.running.set(read.deviceId, [read]);
  }

  /** Removes a read, so that no caller joins it. */
  close(read: SharedRead): void {
    const reads = this.running.get(read.deviceId) ?? [];
    const index = reads.indexOf(read);
    if (index >= 0) reads.splice(index, 1);
  }

  /** Drops cached answers and running reads of a device: they may be outdated. */
  private drop(deviceId: string): void {
    this.cache.drop(deviceId);
    for (const read of this.running.get(deviceId)?.splice(0) ?? []) read.isCacheable = false;
  }

  private dropEmpty(): void {
    for (const [deviceId, reads] of this.running) if (reads.length === 0) this.running.delete(deviceId);
  }
}

function writeAnswer({ status, headers, body }: CompleteAnswer, sink: CallSink, waitedMs: number): void {
  sink.head(status, headers, NO_FLOW, { queueMs: 0, loginMs: 0, deviceMs: waitedMs });
  if (body.length > 0) sink.data(body);
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
