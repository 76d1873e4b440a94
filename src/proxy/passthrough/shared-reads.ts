import { Inject, Injectable } from '@nestjs/common';
import { NO_FLOW } from '../../device-api/exchange.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { type AppError } from '../../platform/errors.js';
import { CallExecutor } from '../calls/call-executor.js';
import { type PassthroughRequest } from './passthrough-request.js';
import { SharedRead, disconnected, type ByteBudget } from './shared-read.js';

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
  private readonly running = new Map<string, SharedRead[]>();
  private readonly budget: ByteBudget = { bytesLeft: BUFFER_BYTES };

  constructor(
    @Inject(CallExecutor) private readonly executor: CallExecutor,
    @Inject(DevicesService) devices: Pick<DevicesService, 'onChange'>,
  ) {
    executor.onWrite((deviceId) => this.drop(deviceId));
    devices.onChange((deviceId) => this.drop(deviceId));
  }

  /** Answers a read from an equal one that runs, or by a call. @throws AppError as the call */
  async read(request: PassthroughRequest): Promise<void> {
    const { accept, 'content-type': contentType } = request.request.headers;
    const key = `${accept ?? ''}\n${contentType ?? ''}\n${request.prepared.call.path.sentPath}`;
    const reads = this.readsOf(request.deviceId);
    const equal = reads.find((read) => read.key === key && read.isJoinable);
    if (equal) return this.follow(request, equal);
    const read = new SharedRead(key, request.sink, request, this.budget);
    reads.push(read);
    let failure: AppError | null = null;
    try {
      await this.executor.execute(request.deviceId, request.prepared, request.context, read, read);
    } catch (error) {
      failure = error as AppError;
      throw error;
    } finally {
      const index = reads.indexOf(read);
      if (index >= 0) reads.splice(index, 1);
      read.close(failure);
    }
    // The call went on for other callers.
    if (!read.hasLeader) throw disconnected();
  }

  private async follow(request: PassthroughRequest, running: SharedRead): Promise<void> {
    const { sink } = request;
    const since = performance.now();
    const answer = await running.follow(request).catch((error: unknown) => {
      markCollapsed(request);
      throw error;
    });
    if (!answer) return this.executor.execute(request.deviceId, request.prepared, request.context, sink, request);
    markCollapsed(request);
    const notes = { queueMs: 0, loginMs: 0, deviceMs: performance.now() - since, demand: answer.demand };
    sink.head(answer.status, answer.headers, NO_FLOW, notes);
    if (answer.body.length > 0) sink.data(answer.body);
  }

  private readsOf(deviceId: string): SharedRead[] {
    let reads = this.running.get(deviceId);
    if (reads) return reads;
    if (this.running.size >= MAX_EMPTY_LISTS) this.dropEmpty();
    this.running.set(deviceId, (reads = []));
    return reads;
  }

  /** Lets no caller join the running reads of a device: they may be outdated. */
  private drop(deviceId: string): void {
    this.running.get(deviceId)?.splice(0);
  }

  private dropEmpty(): void {
    for (const [deviceId, reads] of this.running) if (reads.length === 0) this.running.delete(deviceId);
  }
}

const markCollapsed = (request: PassthroughRequest): void =>
  request.addHeader('cache-status', 'fleetgate; fwd=miss; collapsed');

/** Whether the caller wants a call of its own (RFC 9111, section 5.2.1). */
export const wantsOwnCall = (cacheControl: string): boolean =>
  cacheControl.split(',').some((part) => OWN_CALL.has(part.trim().toLowerCase()));

const OWN_CALL: ReadonlySet<string> = new Set(['no-cache', 'no-store']);
