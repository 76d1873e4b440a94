import { type DataSource } from 'typeorm';
import { Batching } from '../../database/batching.js';
import {
  fingerprintOf,
  readHandshakeCertificate,
  type HandshakeCertificate,
} from '../../device-api/handshake-certificate.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { type Clock } from '../../platform/clock.js';

/*
 * Stores the certificate that each device shows. A handshake with the known one costs a digest and a look in memory. It is parsed
 * and written when it is another one, and once an hour, so that `seen_at` and what other processes wrote are never older.
 */

const STORED_EVERY_MS = 3_600_000;

/** The most devices whose last certificate is in memory; the oldest go first, and are written once more than needed. */
const KNOWN_SIZE = 100_000;

interface SeenCertificate extends HandshakeCertificate {
  readonly deviceId: string;
  readonly seenAt: Date;
}

const REPLACED = ['fingerprint', 'subject', 'issuer', 'key_type', 'key_bits', 'not_before', 'not_after', 'seen_at'];

/** Rows are locked in the order of their ids, so that replicas with the same devices do not deadlock. Removed devices are left out. */
const WRITE = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as given
      ("deviceId" uuid, fingerprint text, subject text, issuer text, "keyType" text, "keyBits" int,
       "notBefore" timestamptz, "notAfter" timestamptz, "seenAt" timestamptz)
  ), ours as materialized (
    select id from device where id in (select "deviceId" from given) order by id for key share
  )
  insert into device_shown_certificate as before (device_id, ${REPLACED.join(', ')})
  select id, fingerprint, subject, issuer, "keyType", "keyBits", "notBefore", "notAfter", "seenAt"
    from given join ours on ours.id = given."deviceId" order by id
  on conflict (device_id) do update set ${REPLACED.map((column) => `${column} = excluded.${column}`).join(', ')}
   where before.seen_at <= excluded.seen_at`;

export class ShownCertificates {
  private readonly known = boundedCache<string, { readonly fingerprint: string; readonly atMs: number }>(KNOWN_SIZE);
  private readonly batches: Batching<SeenCertificate>;

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly clock: Clock,
  ) {
    this.batches = new Batching((seen) => this.write(seen));
  }

  /** Does not fail: what was not written is written after the next handshake. One that cannot be read is left out. */
  note(deviceId: string, der: Buffer): void {
    const fingerprint = fingerprintOf(der);
    const seenAt = this.clock.now();
    const known = this.known.get(deviceId);
    if (known?.fingerprint === fingerprint && seenAt.getTime() - known.atMs < STORED_EVERY_MS) return;
    this.known.set(deviceId, { fingerprint, atMs: seenAt.getTime() });
    const certificate = readHandshakeCertificate(der);
    if (!certificate) return;
    this.batches.add({ deviceId, seenAt, ...certificate }, true).catch(() => this.known.delete(deviceId));
  }

  /** Of a device that was changed: its row may be gone. @param deviceId null: any may have changed */
  forget(deviceId: string | null): void {
    if (deviceId === null) this.known.clear();
    else this.known.delete(deviceId);
  }

  drain(): Promise<void> {
    return this.batches.drain();
  }

  private async write(seen: readonly SeenCertificate[]): Promise<void> {
    const latest = new Map(seen.map((one) => [one.deviceId, one])); // a statement takes a row only once
    await this.db.query(WRITE, [JSON.stringify([...latest.values()])]);
  }
}
