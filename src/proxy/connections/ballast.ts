import { MessageChannel } from 'node:worker_threads';

/*
 * V8 marks the whole heap whenever the memory outside of it has grown by 64 MiB since it last did: garbage might hold it.
 * For each TLS connection Node counts some 120 KB there, most of it a read buffer of which the first few pages are used. So
 * 10,000 new connections asked for 18 markings, which freed nothing: connections end when somebody closes them.
 *
 * Ballast is memory that is counted and never touched: it takes addresses, and no memory. While connections open, as much
 * of it is thrown off as they count, so that the sum stays what it is. Why: docs/adr/0020-external-memory-of-connections.md.
 */

/** What Node (20 and 24) counts for a TLS connection over which something was read. */
const CONNECTION_BYTES = 120 * 1024;

/**
 * Half of the growth that V8 bears. Not less: once a smaller block was freed, glibc makes the next one in its heap and clears
 * it by hand, so that it becomes memory.
 */
const CHUNK_BYTES = 32 * 1024 * 1024;

/** Fewer connections stay below V8's limit. Ballast itself costs a marking: a quarter of the processor time of a start. */
const FROM_CONNECTIONS = 500;

export class Ballast {
  private readonly chunks: ArrayBuffer[] = [];

  /** @param forConnections so many may open before the sum grows; each takes 120 KB of addresses until then */
  constructor(private forConnections = 10_000) {}

  /** @param open connections that are open now; there is no ballast until they were 500 */
  balance(open: number): void {
    if (this.chunks.length === 0 && open < FROM_CONNECTIONS) return;
    const missing = Math.max(0, this.forConnections - open) * CONNECTION_BYTES - this.chunks.length * CHUNK_BYTES;
    if (missing < 0) this.throwOff();
    // Not at once, so that connections that come and go around a border move nothing.
    else if (missing > 1.5 * CHUNK_BYTES) this.takeIn(Math.floor(missing / CHUNK_BYTES));
  }

  /** Throws everything off, for good. */
  end(): void {
    this.forConnections = 0;
    while (this.chunks.length > 0) this.throwOff();
  }

  private takeIn(count: number): void {
    try {
      for (let i = 0; i < count; i++) this.chunks.push(new ArrayBuffer(CHUNK_BYTES));
    } catch {
      this.end(); // addresses are limited: it goes without
    }
  }

  /** A message that nobody can read any more is freed at once; a buffer that is let go of counts until it is collected. */
  private throwOff(): void {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    port1.postMessage(null, [this.chunks.pop()!]);
    port1.close();
  }
}
