import { Inject, Injectable } from '@nestjs/common';
import { type Flow } from '../../device-api/http.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { AnswerCache, type WholeAnswer } from './answer-cache.js';
import { type CallSink } from '../connections/attempt.js';
import { DeviceCalls } from './device-calls.js';
import { type Gone } from '../connections/gone.js';
import { type JudgedRequest } from './device-call-executor.js';
import { SharedRead, type ReadDoor, type Room } from './shared-read.js';

/*
 * Shares equal simultaneous reads of one device: ten people at one page of a router cost it one login and one answer.
 * Equal means: same device, same path and query byte for byte, same Accept and Content-Type, no body. All callers hold
 * the same right.
 *
 * Answers are cached only for callers that send `Cache-Control: max-age`. A write ends both: a read after it must not
 * get an older answer. So a read that began before the end of a write accepts no callers and is not cached. Each
 * process has its own cache.
 */

/** An authorized request of an operator to a device. */
export interface PassedRequest {
  readonly deviceId: string;
  readonly judged: JudgedRequest;
  readonly actor: Actor;
  /** Accept and Content-Type, which may change the answer besides the path. */
  readonly variant: string;
  readonly cacheControl: string | undefined;
  readonly sink: CallSink;
  readonly gone: Gone;
  /** Adds a header to the answer before it begins. */
  readonly note: (name: string, value: string) => void;
}

/** The size of the cache of a process; one answer takes at most 1 MiB. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The buffer of all answers that arrive for several callers. */
const ROOM_BYTES = 64 * 1024 * 1024;

/** The largest max-age: an older answer would mislead people. */
const MAX_AGE_S = 300;

/** Empty lists that stay; `slots.ts` explains why. */
const LISTS_KEPT = 20_000;

const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

@Injectable()
export class SharedReads implements ReadDoor {
  /** By device. */
  private readonly underWay = new Map<string, SharedRead[]>();
  private readonly cache = new AnswerCache(CACHE_BYTES);
  private readonly room: Room = { bytesLeft: ROOM_BYTES };

  constructor(
    @Inject(DeviceCalls) private readonly calls: DeviceCalls,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    calls.onWrite((deviceId) => this.forget(deviceId));
    devices.onChange((deviceId) => this.forget(deviceId));
  }

  /**
   * Answers a request from the cache, from a running call, or by a new call.
   * @throws AppError as `DeviceCalls.pass`
   */
  pass(request: PassedRequest): Promise<unknown> {
    const { judged, deviceId, cacheControl } = request;
    if (judged.intent.method !== 'GET' || judged.body !== null) return this.passAlone(request);
    const maxAgeS = cacheControl === undefined ? 0 : acceptedAge(cacheControl);
    if (maxAgeS === null) return this.passAlone(request);
    const key = `${request.variant}\n${judged.intent.path.wire}`;
    if (maxAgeS > 0 && this.giveKept(request, key, maxAgeS)) return Promise.resolve();
    const found = this.underWay.get(deviceId)?.find((read) => read.key === key);
    if (!found) return this.lead(request, key, maxAgeS > 0);
    found.keep ||= maxAgeS > 0;
    return this.follow(request, found);
  }

  private passAlone({ deviceId, judged, actor, sink, gone }: PassedRequest): Promise<unknown> {
    return this.calls.pass(deviceId, judged, { actor }, sink, gone);
  }

  private lead(request: PassedRequest, key: string, keep: boolean): Promise<void> {
    const { deviceId, judged, actor, sink, gone } = request;
    const read = new SharedRead(deviceId, key, sink, this.room, this, this.clock.nowMs());
    read.keep = keep;
    this.open(read);
    gone.watch(() => read.leaderLeft());
    if (gone.happened) read.leaderLeft();
    return this.calls.pass(deviceId, judged, { actor }, read, read.gone).then(
      () => {
        const answer = read.complete();
        if (answer?.status === 200) this.cache.keep(deviceId, key, answer);
        this.close(read);
      },
      (error: unknown) => {
        read.fail(error);
        this.close(read);
        throw error;
      },
    );
  }

  private async follow(request: PassedRequest, read: SharedRead): Promise<unknown> {
    const { sink, gone, note } = request;
    const collapsed = () => note('cache-status', 'fleetgate; fwd=miss; collapsed');
    const from = performance.now();
    let answer: WholeAnswer | null;
    try {
      answer = await read.join(gone);
    } catch (error) {
      collapsed();
      throw error;
    } finally {
      gone.watch(null);
    }
    if (!answer) return this.passAlone(request);
    collapsed();
    give(answer, sink, performance.now() - from);
    return undefined;
  }

  /** Answers from the cache when there is an entry young enough. */
  private giveKept({ deviceId, sink, note }: PassedRequest, key: string, maxAgeS: number): boolean {
    const kept = this.cache.find(deviceId, key);
    const ageS = kept ? Math.max(0, Math.ceil((this.clock.nowMs() - kept.askedAt) / 1000)) : 0;
    if (!kept || ageS > maxAgeS) {
      note('cache-status', `fleetgate; fwd=${kept ? 'stale' : 'miss'}`);
      return false;
    }
    note('cache-status', `fleetgate; hit; ttl=${maxAgeS - ageS}`);
    note('age', String(ageS));
    give(kept, sink, 0);
    return true;
  }

  private open(read: SharedRead): void {
    const reads = this.underWay.get(read.deviceId);
    if (reads) return void reads.push(read);
    if (this.underWay.size >= LISTS_KEPT) this.dropEmpty();
    this.underWay.set(read.deviceId, [read]);
  }

  /** Removes a read, so that no caller joins it. */
  close(read: SharedRead): void {
    const reads = this.underWay.get(read.deviceId) ?? [];
    const index = reads.indexOf(read);
    if (index >= 0) reads.splice(index, 1);
  }

  /** Drops cached answers and running reads of a device: they may be outdated. */
  private forget(deviceId: string): void {
    this.cache.drop(deviceId);
    for (const read of this.underWay.get(deviceId)?.splice(0) ?? []) read.keep = false;
  }

  private dropEmpty(): void {
    for (const [deviceId, reads] of this.underWay) if (reads.length === 0) this.underWay.delete(deviceId);
  }
}

function give({ status, headers, body }: WholeAnswer, sink: CallSink, waitedMs: number): void {
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
