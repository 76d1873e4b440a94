import { Transform } from 'node:stream';

/*
 * What a file says of itself as firmware. Images of OpenWrt, and so of these vendors, end with JSON and a trailer (fwtool):
 *
 *   8 bytes | JSON | "FWx0" | checksum (4) | type (1: metadata, 0: signature) | 3 bytes | size of the part (4)
 *
 * A signature may follow as another part. The version counts where it is written as devices report it, and models where they
 * are names of models: `teltonika,rutx` is a board. The uploader chooses the bytes, so all reading is bounded.
 */

export interface FirmwareForm {
  /** Whether the bytes have a form that images of firmware have. */
  readonly isImage: boolean;
  readonly version: string | null;
  readonly models: readonly string[];
}

const HEAD_BYTES = 512;

/** Metadata of real images has less than 2 kB. */
const TAIL_BYTES = 64 * 1024;

/** Small chunks that are kept apart. */
const CHUNKS_MAX = 1_024;

const TRAILER_BYTES = 16;
const METADATA = 1;
const PARTS_MAX = 8;
const MODELS_MAX = 50;

/** How files begin that routers flash: a flat image tree, U-Boot, squashfs, UBI, gzip, an ELF program. */
const MAGICS = ['d00dfeed', '27051956', '68737173', '73717368', '55424923', '1f8b08', '7f454c46'];

/** `ustar` of a tar archive, such as an image of `sysupgrade`. */
const TAR_AT = 257;

/** Lets bytes through, and remembers the first and the last ones. */
export class FileEdges extends Transform {
  private head = Buffer.alloc(0);
  /** The last chunks, of at least `TAIL_BYTES` if there were as many; joined seldom, since a body may come byte by byte. */
  private last: Buffer[] = [];
  private lastBytes = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    if (this.head.length < HEAD_BYTES) this.head = Buffer.concat([this.head, chunk.subarray(0, HEAD_BYTES)]);
    this.last.push(chunk);
    this.lastBytes += chunk.length;
    if (this.lastBytes > 2 * TAIL_BYTES || this.last.length > CHUNKS_MAX) this.join();
    done(null, chunk);
  }

  /** What the file says of itself, once all of it went through. */
  form(): FirmwareForm {
    return firmwareForm(this.head, this.join());
  }

  /** @returns the last bytes */
  private join(): Buffer {
    const tail = Buffer.from(Buffer.concat(this.last).subarray(-TAIL_BYTES));
    this.last = [tail];
    this.lastBytes = tail.length;
    return tail;
  }
}

/** @param head the first bytes of a file @param tail its last ones; of a small file all of it */
export function firmwareForm(head: Buffer, tail: Buffer): FirmwareForm {
  const metadata = metadataOf(tail);
  const begin = head.subarray(0, 4).toString('hex');
  const isTar = head.subarray(TAR_AT, TAR_AT + 5).toString('latin1') === 'ustar';
  const isImage = metadata !== null || isTar || MAGICS.some((magic) => begin.startsWith(magic));
  return { isImage, version: versionIn(metadata), models: modelsIn(metadata) };
}

/** The last part with metadata; null where there is none that can be read. */
function metadataOf(tail: Buffer): Readonly<Record<string, unknown>> | null {
  let end = tail.length;
  for (let part = 0; part < PARTS_MAX && end >= TRAILER_BYTES; part++) {
    const trailer = tail.subarray(end - TRAILER_BYTES, end);
    const size = trailer.readUInt32BE(12);
    if (trailer.toString('latin1', 0, 4) !== 'FWx0' || size < TRAILER_BYTES || size > end) return null;
    if (trailer[8] === METADATA) return parsed(tail.subarray(end - size + 8, end - TRAILER_BYTES));
    end -= size;
  }
  return null;
}

function parsed(json: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(json.toString('utf8')) as unknown;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Such as `RUTX_R_00.07.25.3`: another name would be compared with what the device reports, and refused. */
function versionIn(metadata: Readonly<Record<string, unknown>> | null): string | null {
  const said = metadata?.['version'];
  const version = isRecord(said) ? said['version'] : null;
  return typeof version === 'string' && /^[A-Z0-9]{1,20}_R_\d[\w.]{0,40}$/.test(version) ? version : null;
}

function modelsIn(metadata: Readonly<Record<string, unknown>> | null): string[] {
  const said = metadata?.['supported_devices'];
  if (!Array.isArray(said) || said.length > MODELS_MAX) return [];
  return said.every((model) => typeof model === 'string' && /^[\w .+-]{1,60}$/.test(model)) ? (said as string[]) : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
