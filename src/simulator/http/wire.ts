/*
 * Faults of the wire: a stream between TCP and TLS that delays, cuts, slices, corrupts or swallows what the device sends,
 * like a TCP fault proxy in front of it. A connection has it only when the device has such a rule.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { SimulatorClock } from '../device/clock.js';
import type { FaultRule } from '../device/faults.js';
import type { Random } from '../device/random.js';

/** What a rule means that says no more (chosen). */
const USUAL = {
  latencyMs: 1_000,
  slowCloseMs: 1_000,
  timeoutMs: 1_000,
  sliceBytes: 16,
  sliceMs: 2,
  bytesPerSecond: 1_024,
  limitBytes: 64,
};

const BANDWIDTH_STEP = 256;

export class FaultyStream extends Duplex {
  private engaged: FaultRule[];
  private sent = 0;

  constructor(
    private readonly raw: Socket,
    rules: FaultRule[],
    private readonly clock: SimulatorClock,
    private readonly random: Random,
  ) {
    super();
    this.engaged = rules;
    raw.on('data', (chunk: Buffer) => {
      if (!this.has('half-open') && !this.push(chunk)) raw.pause();
    });
    raw.on('end', () => this.push(null));
    raw.on('close', () => this.destroy());
    raw.on('error', (error) => this.destroy(error));
  }

  /** Adds the rules of one request. @returns takes them away again */
  engage(rules: FaultRule[]): () => void {
    this.engaged = [...this.engaged, ...rules];
    this.sent = 0;
    return () => {
      this.engaged = this.engaged.filter((rule) => !rules.includes(rule));
    };
  }

  override _read(): void {
    this.raw.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.send(chunk).then(
      () => done(),
      (error: unknown) => done(error as Error),
    );
  }

  override _final(done: () => void): void {
    const slow = this.rule('slow-close');
    void this.clock.pause(slow ? (slow.ms ?? USUAL.slowCloseMs) : 0).then(() => {
      this.raw.end();
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.raw.destroy();
    done(error);
  }

  private async send(chunk: Buffer): Promise<void> {
    if (this.has('half-open')) return;
    const timeout = this.rule('timeout');
    if (timeout) {
      await this.clock.pause(timeout.ms ?? USUAL.timeoutMs);
      this.raw.destroy();
      return;
    }
    if (this.has('reset')) {
      // Not after shutdown(): see `reset` in listener.ts.
      if (this.raw.writableEnded) this.raw.destroy();
      else this.raw.resetAndDestroy();
      return;
    }
    const latency = this.rule('wire-latency');
    if (latency) await this.clock.pause(latency.ms ?? USUAL.latencyMs);
    await this.sendPieces(this.has('corrupt') ? this.corrupted(chunk) : chunk);
  }

  private async sendPieces(chunk: Buffer): Promise<void> {
    const [slicer, bandwidth, limit] = [this.rule('slicer'), this.rule('bandwidth'), this.rule('data-limit')];
    const allowed = limit ? Math.max(0, (limit.bytes ?? USUAL.limitBytes) - this.sent) : chunk.length;
    const size = slicer ? (slicer.bytes ?? USUAL.sliceBytes) : bandwidth ? BANDWIDTH_STEP : chunk.length;
    for (let from = 0; from < Math.min(allowed, chunk.length); from += size) {
      const piece = chunk.subarray(from, Math.min(from + size, allowed));
      await this.sendRaw(piece);
      if (slicer) await this.clock.pause(slicer.ms ?? USUAL.sliceMs);
      if (bandwidth) await this.clock.pause((piece.length / (bandwidth.bytesPerSecond ?? USUAL.bytesPerSecond)) * 1000);
    }
    this.sent += chunk.length;
    if (allowed < chunk.length) this.raw.destroy();
  }

  private sendRaw(piece: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.raw.destroyed) resolve();
      else this.raw.write(piece, () => resolve());
    });
  }

  private corrupted(chunk: Buffer): Buffer {
    const copy = Buffer.from(chunk);
    const at = this.random.integer(0, copy.length - 1);
    copy[at] = copy[at]! ^ (1 << this.random.integer(0, 7));
    return copy;
  }

  private rule(kind: FaultRule['kind']): FaultRule | undefined {
    return this.engaged.find((rule) => rule.kind === kind);
  }

  private has(kind: FaultRule['kind']): boolean {
    return this.rule(kind) !== undefined;
  }
}
