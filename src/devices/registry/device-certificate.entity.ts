import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A certificate on a device as a job or a watch last saw it, without its key. One that could not be read has only its name. */
@Entity({ name: 'device_certificate' })
export class DeviceCertificate {
  @PrimaryColumn('uuid', { name: 'device_id' }) deviceId!: string;
  /** File name on the device, such as `server.cert.pem`. */
  @PrimaryColumn('text') fullname!: string;
  /** `ca`, `server`, `client`, or `root_ca` for an installed one. */
  @Column('text') type!: string;
  @Column('text', { nullable: true }) subject!: string | null;
  @Column('text', { nullable: true }) issuer!: string | null;
  @Column('timestamptz', { name: 'not_before', nullable: true }) notBefore!: Date | null;
  @Column('timestamptz', { name: 'not_after', nullable: true }) notAfter!: Date | null;
  /** SHA-256 of the certificate (DER), in hex. */
  @Column('text', { nullable: true }) fingerprint!: string | null;
  @Column('timestamptz', { name: 'seen_at' }) seenAt!: Date;
  @Column('uuid', { name: 'job_id', nullable: true }) jobId!: string | null;
  /** What the list of the device said of its time when a watch read it; null: no watch has. */
  @Column('text', { name: 'made_at', nullable: true }) madeAt!: string | null;
}
