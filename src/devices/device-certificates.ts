import { type DataSource } from 'typeorm';
import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { textSuchAs } from '../http/schemas.js';

/* The certificate that each device showed in its last TLS handshake, as `registry/shown-certificates.ts` stores it, for lists. */

const parts = {
  subject: textSuchAs('C=LT, CN=router').describe('As the device says it, at most 256 characters'),
  issuer: textSuchAs('C=LT, CN=router'),
  keyType: textSuchAs('rsa'),
  keyBits: z.number().int().nullable(),
  fingerprint: z.string().describe('SHA-256 of the certificate, in hex'),
};

export const offeredCertificateView = z
  .object({ ...parts, notBefore: z.iso.datetime(), notAfter: z.iso.datetime() })
  .meta({ id: 'OfferedCertificate' });

export const shownCertificateView = z
  .object({
    ...parts,
    notBefore: instant,
    notAfter: instant,
    seenAt: instant.describe('When a handshake last had it, to the hour'),
  })
  .meta({ id: 'ShownCertificate' });
export type ShownCertificateView = z.input<typeof shownCertificateView>;

/** By the id of the device. The readers of a device see it. */
export async function shownCertificatesOf(
  db: Pick<DataSource, 'query'>,
  devices: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, ShownCertificateView>> {
  const rows = await db.query<(ShownCertificateView & { readonly id: string })[]>(
    `select device_id as id, subject, issuer, key_type as "keyType", key_bits as "keyBits", not_before as "notBefore",
            not_after as "notAfter", fingerprint, seen_at as "seenAt"
       from device_shown_certificate where device_id = any($1::uuid[])`,
    [devices.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, ...certificate }) => [id, certificate]));
}
