import { MessageChannel } from 'node:worker_threads';

/*
 * V8 marks the whole heap whenever external memory has grown by 64 MiB since the last marking. Node counts 120 KB of
 * external memory for each TLS connection. So 10,000 new connections caused 18 markings that freed nothing.
 *
 * The reserve is external memory that is counted and never touched: it takes addresses, and no memory. While connections
 * open, as much of it is freed as they count, so that the sum stays the same (docs/adr/0020-external-memory-of-connections.md).
 */

/** What Node (20 and 24) counts for a TLS connection over which something was read. */
const CONNECTION_BYTES = 120 * 1024;

/**
 * Half of the growth that makes V8 mark. Not less: glibc takes smaller blocks from its heap and clears them, so that they
 * become real memory.
 */
const CHUNK_BYTES = 32 * 1024 * 1024;

/** Fewer connections stay below V8's limit. The reserve itself costs a marking: a quarter of the processor time of a start. */
const FROM_CONNECTIONS = 500;

export class ExternalMemoryReserve {
  private readonly chunks: ArrayBuffer[] = [];

  /** @param forConnections so many may open before the sum grows; each takes 120 KB of addresses until then */
  constructor(private forConnections = 10_000) {}

  /** The bytes that V8 counts of it. */
  get bytes(): number {
    return this.chunks.length * CHUNK_BYTES;
  }

  /** @param open connections that are open now; the reserve begins when 500 are open */
  balance(open: number): void {
    if (this.chunks.length === 0 && open < FROM_CONNECTIONS) return;
    const missing = Math.max(0, this.forConnections - open) * CONNECTION_BYTES - this.bytes;
    if (missing < 0) this.freeChunk();
    // Not at once, so that connections that come and go around a border move nothing.
    else if (missing > 1.5 * CHUNK_BYTES) this.addChunks(Math.floor(missing / CHUNK_BYTES));
  }

  /** Frees all of it for good. */
  end(): void {
    this.forConnections = 0;
    while (this.chunks.length > 0) this.freeChunk();
  }

  private addChunks(count: number): void {
    try {
      for (let i = 0; i < count; i++) this.chunks.push(new ArrayBuffer(CHUNK_BYTES));
    } catch {
      this.end(); // addresses are limited: it goes without
    }
  }

  /** A message to a closed port is freed at once; a dropped buffer counts until it is collected. */
  private freeChunk(): void {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    port1.postMessage(null, [this.chunks.pop()!]);
    port1.close();
  }
}
