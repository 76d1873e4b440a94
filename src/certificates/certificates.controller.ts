import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { selectorSql } from '../selectors/selector-sql.js';
import { Clock } from '../platform/clock.js';
import { CurrentActor, Endpoint, instant } from '../http/endpoint.js';
import { cutPage, decodeCursor, pageOf, pageQuery } from '../http/page.js';
import { deviceRef } from '../selectors/device-ref.js';

/* Schemas of the list of certificates. */

const listCertificatesQuery = z.strictObject({
  ...pageQuery.shape,
  expiresBefore: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Only certificates that expire before this instant'),
  selector: z.string().max(2_000).optional().describe('Only on devices of this selector'),
  device: deviceRef.optional().describe('Only on this device'),
});
export type ListCertificatesQuery = z.output<typeof listCertificatesQuery>;

const certificateView = z
  .object({
    deviceId: z.uuid(),
    deviceName: z.string(),
    file: z.string().nullable().describe('Its name on the device; null: the one that the device shows in TLS'),
    type: z
      .string()
      .describe('`ca`, `server`, `client`, `root_ca` for an installed one, or `tls` for the one that it shows'),
    subject: z.string().nullable(),
    issuer: z.string().nullable(),
    notBefore: instant.nullable(),
    notAfter: instant
      .nullable()
      .describe('null: unknown, as all else of it: a watch found the file, and could not read it'),
    fingerprint: z.string().nullable().describe('SHA-256 of the certificate, in hex'),
    seenAt: instant.describe(
      'When a job, a watch or a handshake last read it on the device, to the hour for a handshake',
    ),
    jobId: z.uuid().nullable().describe('The job that saw it; null: a watch or a handshake'),
  })
  .meta({ id: 'DeviceCertificate' });

const certificatePage = pageOf(certificateView).meta({ id: 'DeviceCertificatePage' });

/** No file has an empty name, so that the one of a handshake is first among those of its device in the order of the list. */
const ALL = `
  select device_id, fullname, type, subject, issuer, not_before, not_after, fingerprint, seen_at, job_id
    from device_certificate
   union all
  select device_id, '', 'tls', subject, issuer, not_before, not_after, fingerprint, seen_at, null
    from device_shown_certificate`;

/** Certificates on devices and their expiry, as jobs of the kinds `certificates` and `upload`, watches and TLS handshakes saw them. */
@ApiTags('Certificates')
@Controller('v1/certificates')
export class CertificatesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SavedSelectorsService) private readonly selectors: SavedSelectorsService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Lists certificates on devices, the earliest expiry first, and last those whose expiry is unknown',
    description: 'Those that jobs and watches saw, and the one that each device showed in its last TLS handshake.',
    permission: 'device.read',
    scans: true,
    answer: certificatePage,
    errors: ['invalid_cursor', 'invalid_selector', 'device_not_found'],
  })
  async list(@Query({ schema: listCertificatesQuery }) query: ListCertificatesQuery, @CurrentActor() actor: Principal) {
    const values: unknown[] = [];
    const param = (value: unknown) => `$${values.push(value)}`;
    const now = this.clock.now();
    const conditions = [actor.rights.sql('device.read', values, now)];
    if (query.selector)
      conditions.push(selectorSql(await this.selectors.read(query.selector, actor.rights), values, now, actor.rights));
    if (query.expiresBefore) conditions.push(`certificate.not_after < ${param(query.expiresBefore)}::timestamptz`);
    if (query.device) {
      const device = await this.devices.resolve(query.device);
      actor.rights.requireOnDevice({ action: 'device.read', device });
      conditions.push(`device.id = ${param(device.id)}::uuid`);
    }
    if (query.cursor) {
      const [at, id, file] = decodeCursor(
        'certificates',
        query.cursor,
        z.tuple([z.iso.datetime().or(z.literal('')), z.uuid(), z.string()]),
      );
      const after = `${param(id)}::uuid, ${param(file)}::text)`;
      conditions.push(
        at === ''
          ? `certificate.not_after is null and (certificate.device_id, certificate.fullname) > (${after}`
          : `((certificate.not_after, certificate.device_id, certificate.fullname) > (${param(at)}::timestamptz, ${after}
              or certificate.not_after is null)`,
      );
    }
    const rows = await this.db.query<z.input<typeof certificateView>[]>(
      `select certificate.device_id as "deviceId", device.name as "deviceName", nullif(certificate.fullname, '') as file,
              certificate.type, certificate.subject, certificate.issuer, certificate.not_before as "notBefore",
              certificate.not_after as "notAfter", certificate.fingerprint, certificate.seen_at as "seenAt",
              certificate.job_id as "jobId"
         from (${ALL}) certificate join device on device.id = certificate.device_id
        where ${conditions.join(' and ')}
        order by certificate.not_after, certificate.device_id, certificate.fullname limit ${param(query.limit + 1)}`,
      values,
    );
    return cutPage('certificates', rows, query.limit, (row) => [
      row.notAfter?.toISOString() ?? '',
      row.deviceId,
      row.file ?? '',
    ]);
  }
}
