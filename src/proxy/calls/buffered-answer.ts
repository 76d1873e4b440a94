import { createHash, hash, type Hash } from 'node:crypto';
import { deviceJson } from '../../device-api/device-json.js';

/** The part of an answer that a call stores: a 401 until it is clear whether the call is retried, and what the audit reads. */
export class BufferedAnswer {
  bytes = 0;
  private chunks: Buffer[] = [];
  /** The first chunk: an answer in one needs no `Hash`, which costs more than to hash it. */
  private first: Buffer | null = null;
  private hash: Hash | null = null;

  /** @param limitBytes a larger answer is not stored */
  constructor(
    private limitBytes: number,
    private readonly isAudited: boolean,
  ) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.isAudited && this.first) (this.hash ??= createHash('sha256').update(this.first)).update(chunk);
    this.first ??= chunk;
    if (this.bytes <= this.limitBytes) this.chunks.push(chunk);
    else this.chunks = [];
  }

  /** Returns what is stored, and stores no more than that from now on. */
  release(limitBytes: number): readonly Buffer[] {
    const { chunks } = this;
    this.limitBytes = limitBytes;
    if (this.bytes > limitBytes) this.chunks = [];
    return chunks;
  }

  /** The answer, parsed; undefined when it is not stored or not JSON. */
  json(): unknown {
    return this.chunks.length > 0 ? deviceJson(Buffer.concat(this.chunks)) : undefined;
  }

  /** Of an audited answer. Call it once, at its end. */
  sha256(): string | undefined {
    if (!this.isAudited) return undefined;
    return this.hash?.digest('hex') ?? hash('sha256', this.first ?? '', 'hex');
  }
}
