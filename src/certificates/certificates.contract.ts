import { z } from 'zod';
import { deviceRef } from '../devices/registry/device-ref.js';
import { instant } from '../platform/http/endpoint.js';
import { pageOf, pageQuery } from '../platform/http/page.js';

/* Schemas of the list of certificates. */

export const listCertificatesQuery = z.strictObject({
  ...pageQuery.shape,
  expiresBefore: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Only certificates that expire before this instant'),
  selector: z.string().max(2_000).optional().describe('Only on devices of this selector'),
  device: deviceRef.optional().describe('Only on this device'),
});
export type ListCertificatesQuery = z.output<typeof listCertificatesQuery>;

export const certificateView = z
  .object({
    deviceId: z.uuid(),
    deviceName: z.string(),
    file: z.string().describe('Its name on the device'),
    type: z.string().describe('`ca`, `server`, `client`, or `root_ca` for an installed one'),
    subject: z.string(),
    issuer: z.string(),
    notBefore: instant,
    notAfter: instant,
    fingerprint: z.string().describe('SHA-256 of the certificate, in hex'),
    seenAt: instant.describe('When a job last saw it on the device'),
    jobId: z.uuid(),
  })
  .meta({ id: 'DeviceCertificate' });

export const certificatePage = pageOf(certificateView).meta({ id: 'DeviceCertificatePage' });
