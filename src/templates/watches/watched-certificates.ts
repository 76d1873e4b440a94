import { X509Certificate } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { type Rights } from '../../auth/rights/rights.js';
import { certificateListing } from '../../device-api/contract.js';
import { type HandshakeCertificate, readHandshakeCertificate } from '../../device-api/handshake-certificate.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DeviceCertificate } from '../../devices/registry/device-certificate.entity.js';
import { type BackgroundRead, BackgroundReads } from '../../monitoring/samples/background-reads.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { errorFields, LOG } from '../../platform/log.js';

/*
 * Certificates that the list of a device names, for GET /v1/certificates. The list says no end. So a file of which no job has read
 * anything is read once, and again when the list says another time of it. Files of keys are never read. A download is a POST: it
 * needs the right of the author to write at its path, and has an audit entry. What could not be read is stored by its name alone.
 */

/** Of one device in one pass; the next pass reads the others. */
const FILES_MAX = 10;
const FILE_BYTES_MAX = 16 * 1024;
/** Of one device; the others are left out. */
const LISTED_MAX = 200;

/** The name is a part of a path. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;
const TEXT_MAX = 60;

interface Listed {
  readonly fullname: string;
  readonly type: string;
  readonly madeAt: string;
}

type Known = Pick<DeviceCertificate, 'fullname' | 'madeAt' | 'notAfter'>;

/** What a file has; null: it cannot be read. `later`: the next pass tries again. */
type Found = HandshakeCertificate | null | 'later';

@Injectable()
export class WatchedCertificates {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(BackgroundReads) private readonly reads: Pick<BackgroundReads, 'file'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Does not fail: what was not stored is stored by the next pass. @param listing `data` of the answer @param rights of the author */
  async note(device: Device, listing: unknown, rights: Rights, read: BackgroundRead): Promise<void> {
    const listed = listedIn(listing);
    if (!listed) return;
    try {
      const rows = await this.db.manager.find(DeviceCertificate, {
        where: { deviceId: device.id },
        select: { fullname: true, madeAt: true, notAfter: true },
      });
      await this.forgetGone(device.id, listed, rows);
      const known = new Map(rows.map((row) => [row.fullname, row]));
      const unread = listed.filter((one) => !isRead(one, known.get(one.fullname)));
      const found = await this.readAll(device, unread, rights, read);
      const tried = unread.map((one, at) => rowOf(one, at < found.length ? found[at]! : 'later'));
      const news = tried.filter((row) => row.madeAt !== null || !isUnknown(known.get(row.fullname)));
      const seenAt = this.clock.now();
      const stored = news.map((row) => ({ ...row, deviceId: device.id, seenAt, jobId: null }));
      if (stored.length > 0) await this.db.manager.upsert(DeviceCertificate, stored, ['deviceId', 'fullname']);
    } catch (error) {
      this.log.warn({ deviceId: device.id, ...errorFields(error) }, 'The certificates of a watch were not stored');
    }
  }

  /** After an error of the call the others wait for the next pass. */
  private async readAll(
    device: Device,
    files: readonly Listed[],
    rights: Rights,
    read: BackgroundRead,
  ): Promise<readonly Found[]> {
    const found: Found[] = [];
    try {
      for (const { fullname } of files.slice(0, FILES_MAX)) {
        const path = `/api/certificates/${fullname}/actions/download`;
        const mayRead = rights.allows({ action: 'device.call_write', device, path });
        found.push(mayRead ? certificateIn(await this.reads.file(device.id, path, FILE_BYTES_MAX, read)) : 'later');
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return found;
  }

  /** Those that a watch has seen in the list before. */
  private async forgetGone(deviceId: string, listed: readonly Listed[], rows: readonly Known[]): Promise<void> {
    const names = new Set(listed.map(({ fullname }) => fullname));
    const gone = rows.filter((row) => (row.madeAt !== null || isUnknown(row)) && !names.has(row.fullname));
    for (const { fullname } of gone) await this.db.manager.delete(DeviceCertificate, { deviceId, fullname });
  }
}

const UNKNOWN = { subject: null, issuer: null, notBefore: null, notAfter: null, fingerprint: null };

/** Only a watch stores one. */
const isUnknown = (known: Known | undefined): boolean => known !== undefined && known.notAfter === null;

function rowOf({ fullname, type, madeAt }: Listed, file: Found) {
  if (file === 'later') return { fullname, type, ...UNKNOWN, madeAt: null };
  const { subject, issuer, notBefore, notAfter, fingerprint } = file ?? UNKNOWN;
  return { fullname, type, subject, issuer, notBefore, notAfter, fingerprint, madeAt };
}

/** The certificates among the generated files; null: it is no list. */
function listedIn(listing: unknown): readonly Listed[] | null {
  const read = certificateListing.safeParse(listing);
  if (!read.success) return null;
  const files = read.data.generated.filter(({ type, fullname }) => type === 'cert' && FILE_NAME.test(fullname));
  const named = new Map(files.slice(0, LISTED_MAX).map((file) => [file.fullname, file]));
  return [...named.values()].map(({ fullname, cert_type: type = 'cert', timestamp = '' }) => ({
    fullname,
    type: plain(type),
    madeAt: plain(timestamp),
  }));
}

/** As a text of Postgres. */
const plain = (text: string): string =>
  text
    .slice(0, TEXT_MAX)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed();

/** What a job has read counts as read at the time that the list says. */
const isRead = ({ madeAt }: Listed, known: Known | undefined): boolean =>
  known !== undefined && (known.madeAt === madeAt || (known.madeAt === null && known.notAfter !== null));

function certificateIn(text: string | null): HandshakeCertificate | null {
  try {
    return text === null ? null : readHandshakeCertificate(new X509Certificate(text).raw);
  } catch {
    return null;
  }
}
