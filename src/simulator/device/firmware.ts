/*
 * Firmware images and the slot that a device keeps one in. A real image is signed machine code; the simulator's own form says
 * in one line of text what it is, and carries the digest of what follows, so that a damaged upload is noticed as on a device.
 * It ends as images of OpenWrt do: with what it is as JSON, and a trailer (fwtool), from which others read version and models.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { UploadSink } from './exchange.js';
import { FAMILIES, firmwareName, isNewerFirmware, type Family } from './families.js';

const MAGIC = 'SIMULATED-FIRMWARE ';
/** The first line is shorter than this. */
const MAX_HEADER_BYTES = 1024;

interface ImageHeader {
  platform: string;
  version: string;
  payloadBytes: number;
  payloadSha256: string;
  authorized: boolean;
}

/** An image that devices of `family` accept. `version` is `07.25.3`; `bytes` is the total size. */
export function makeFirmwareImage(family: Family, version: string, bytes = 64 * 1024, authorized = true): Buffer {
  const end = metadata(family, version);
  const fill = Buffer.alloc(Math.max(0, bytes - MAX_HEADER_BYTES - end.length), `${family.platform} ${version} `);
  const payload = Buffer.concat([fill, end]);
  const header: ImageHeader = {
    platform: family.platform,
    version: firmwareName(family, version),
    payloadBytes: payload.length,
    payloadSha256: createHash('sha256').update(payload).digest('hex'),
    authorized,
  };
  const line = MAGIC + JSON.stringify(header);
  return Buffer.concat([Buffer.from(line.padEnd(MAX_HEADER_BYTES - 1) + '\n'), payload]);
}

/** What `fwtool -I` appends: 8 bytes, the JSON, and a trailer with its magic, checksum, type (1: metadata) and size. */
function metadata(family: Family, version: string): Buffer {
  const same = Object.values<Family>(FAMILIES).filter(({ platform }) => platform === family.platform);
  const supported = [...new Set(same.flatMap(({ model, boardModel }) => [model, boardModel]))];
  const said = { supported_devices: supported, version: { version: firmwareName(family, version) } };
  const data = Buffer.concat([Buffer.alloc(8), Buffer.from(JSON.stringify(said))]);
  const trailer = Buffer.alloc(16);
  trailer.write('FWx0', 0, 'latin1');
  trailer.writeUInt32BE(~crc32(data) >>> 0, 4);
  trailer.writeUInt8(1, 8);
  trailer.writeUInt32BE(data.length + trailer.length, 12);
  return Buffer.concat([data, trailer]);
}

/** Reads an image as it streams in and keeps nothing of it but what it says of itself. */
export class ImageSink implements UploadSink {
  private head = Buffer.alloc(0);
  private readonly payload = createHash('sha256');
  private payloadBytes = 0;

  write(chunk: Buffer): void {
    const missing = MAX_HEADER_BYTES - this.head.length;
    if (missing > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, missing)]);
    const rest = missing > 0 ? chunk.subarray(missing) : chunk;
    this.payload.update(rest);
    this.payloadBytes += rest.length;
  }

  /** The contents of the image, or null when it is not complete. */
  header(): ImageHeader | null {
    const line = this.head.toString('latin1');
    if (!line.startsWith(MAGIC)) return null;
    try {
      const header = JSON.parse(line.slice(MAGIC.length)) as ImageHeader;
      const whole =
        header.payloadBytes === this.payloadBytes && header.payloadSha256 === this.payload.copy().digest('hex');
      return whole && typeof header.version === 'string' ? header : null;
    } catch {
      return null;
    }
  }
}

/** The judgement of an image, as `upload_device_firmware` and `verify` answer it. */
export interface JudgedImage {
  readonly version: string;
  readonly flashable: boolean;
  readonly report: Record<string, string>;
}

const bit = (on: boolean): '0' | '1' => (on ? '1' : '0');

export function judgeImage(
  header: ImageHeader | null,
  family: Family,
  current: string,
  file: { size: number; md5: string; sha256: string },
): JudgedImage {
  const valid = header !== null;
  const supported = valid && header.platform === family.platform;
  const version = header?.version ?? '';
  return {
    version,
    flashable: valid && supported,
    report: {
      valid: bit(valid),
      hw_support: bit(supported),
      authorized: bit(header?.authorized ?? false),
      passwd_warning: '0',
      message_code: '0',
      newer: bit(valid && isNewerFirmware(version, current)),
      allow_backup: bit(valid),
      size: `${(file.size / 1024 / 1024).toFixed(2)} MB`,
      md5: file.md5,
      sha256: file.sha256,
      fw_version: version,
    },
  };
}

export interface FirmwareSlot {
  /** Full name of what runs: `RUTX_R_00.07.24.2`. */
  version: string;
  image: JudgedImage | null;
  download: { percents: number; process: 'started' | 'succeeded' | 'failed' } | null;
}
