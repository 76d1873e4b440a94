import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

/*
 * An answer that is the same for every caller: made once, compressed once for each encoding, and sent from the same
 * bytes. However many ask for it, and however slowly they read, it costs no time of the event loop and no memory.
 */

type Encoding = 'br' | 'gzip' | 'identity';

interface Bytes {
  readonly body: Buffer;
  readonly etag: string;
}

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);

/** Brotli 6 needs 30 ms for a megabyte on a thread, and 11 two seconds for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } } as const;

export class PreparedAnswer {
  private readonly made = new Map<Encoding, Promise<Bytes>>();

  /**
   * @param type its Content-Type
   * @param make called for the first request, and again only when it failed
   * @param compressed where there is a compressed form already, gives it in place of compressing
   */
  constructor(
    private readonly type: string,
    private readonly make: () => string | Buffer | Promise<Buffer>,
    private readonly compressed: Partial<Record<Encoding, () => Promise<Buffer>>> = {},
  ) {}

  /** Sends it in the best encoding that the caller takes. A hook answers 304 to a caller with the same ETag. */
  async send({ headers }: FastifyRequest, reply: FastifyReply, cacheControl = 'no-cache'): Promise<FastifyReply> {
    const encoding = chooseEncoding(headers['accept-encoding']);
    const bytes = await this.bytes(encoding).catch(nullWhereMissing);
    if (bytes === null) {
      reply.callNotFound();
      return reply;
    }
    const { body, etag } = bytes;
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return reply.headers({ etag, vary: 'accept-encoding', 'cache-control': cacheControl }).type(this.type).send(body);
  }

  private bytes(encoding: Encoding): Promise<Bytes> {
    let bytes = this.made.get(encoding);
    if (!bytes) {
      bytes = this.encode(encoding);
      bytes.catch(() => this.made.delete(encoding));
      this.made.set(encoding, bytes);
    }
    return bytes;
  }

  private async encode(encoding: Encoding): Promise<Bytes> {
    if (encoding === 'identity') {
      const made = await this.make();
      const body = typeof made === 'string' ? Buffer.from(made) : made;
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
    }
    const { body, etag } = await this.bytes('identity');
    const ready = this.compressed[encoding]?.();
    const compressed = await (ready ?? (encoding === 'br' ? inBrotli(body, BROTLI) : inGzip(body)));
    return { body: compressed, etag: `${etag.slice(0, -1)}-${encoding}"` };
  }
}

/** A file that was there at the start: another release may have taken its place. */
function nullWhereMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

/**
 * The best of the encodings that Accept-Encoding names (RFC 9110, section 12.5.3), whatever order it has. One with
 * `q=0` is refused; `*` and other encodings mean none.
 */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const named = new Set<string>();
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))) named.add(name);
  }
  if (named.has('br')) return 'br';
  return named.has('gzip') ? 'gzip' : 'identity';
}
