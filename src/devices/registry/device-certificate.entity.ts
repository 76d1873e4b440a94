import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A certificate on a device as a job last saw it, without its key. */
@Entity({ name: 'device_certificate' })
export class DeviceCertificate {
  @PrimaryColumn('uuid', { name: 'device_id' }) deviceId!: string;
  /** File name on the device, such as `server.cert.pem`. */
  @PrimaryColumn('text') fullname!: string;
  /** `ca`, `server`, `client`, or `root_ca` for an installed one. */
  @Column('text') type!: string;
  @Column('text') subject!: string;
  @Column('text') issuer!: string;
  @Column('timestamptz', { name: 'not_before' }) notBefore!: Date;
  @Column('timestamptz', { name: 'not_after' }) notAfter!: Date;
  /** SHA-256 of the certificate (DER), in hex. */
  @Column('text') fingerprint!: string;
  @Column('timestamptz', { name: 'seen_at' }) seenAt!: Date;
  @Column('uuid', { name: 'job_id' }) jobId!: string;
}
