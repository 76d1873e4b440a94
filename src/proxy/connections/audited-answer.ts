import { createHash, hash, type Hash } from 'node:crypto';
import { deviceJson } from '../../device-api/device-json.js';

/** What the audit reads of the answer to a write: its digest, and the content when it is short. */
export class AuditedAnswer {
  private bytes = 0;
  private chunks: Buffer[] = [];
  /** The first chunk: an answer in one needs no `Hash`, which costs more than to hash it. */
  private first: Buffer | null = null;
  private hash: Hash | null = null;

  /** @param limitBytes of a larger answer only the digest is made */
  constructor(private readonly limitBytes: number) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.first) (this.hash ??= createHash('sha256').update(this.first)).update(chunk);
    this.first ??= chunk;
    if (this.bytes <= this.limitBytes) this.chunks.push(chunk);
    else this.chunks = [];
  }

  /** The answer, parsed; undefined when it is not stored or not JSON. */
  json(): unknown {
    return this.chunks.length > 0 ? deviceJson(Buffer.concat(this.chunks)) : undefined;
  }

  /** Call it once, at the end of the answer. */
  sha256(): string {
    return this.hash?.digest('hex') ?? hash('sha256', this.first ?? '', 'hex');
  }
}
