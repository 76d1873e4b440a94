import { Column, Entity, PrimaryColumn } from 'typeorm';

export const ARTIFACT_KINDS = ['firmware', 'backup', 'certificate', 'configuration', 'file'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** Bytes with a digest that a job made or that an operator gave. The artifact store has them under their digest. */
@Entity({ name: 'artifact' })
export class Artifact {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') sha256!: string;
  /** Sizes stay far below 2^53, so the text that the driver gives for a bigint becomes a number. */
  @Column('bigint', { transformer: { from: Number, to: (bytes: number) => bytes } }) bytes!: number;
  @Column('text') kind!: ArtifactKind;
  /** The file name under which it is downloaded. */
  @Column('text') name!: string;
  /** No foreign key: an artifact outlives its device and its job. */
  @Column('uuid', { name: 'device_id', nullable: true }) deviceId!: string | null;
  /** The job that made it; null for one that an operator gave. */
  @Column('uuid', { name: 'job_id', nullable: true }) jobId!: string | null;
  /** Firmware: the version that a device reports when it runs this image. */
  @Column('text', { nullable: true }) version!: string | null;
  /** Firmware: patterns of the models that it is for, `*` for any letters; empty: not said. */
  @Column('text', { array: true, default: '{}' }) models!: string[];
  /** Firmware: patterns of the hardware versions that it is for; empty: not said. */
  @Column('text', { array: true, default: '{}' }) hardware!: string[];
  /** Firmware: a device must run this version or a later one before it gets this image. */
  @Column('text', { name: 'minimum_version', nullable: true }) minimumVersion!: string | null;
  /** Firmware: whether its bytes were recognised as an image; null: not looked at. */
  @Column('boolean', { name: 'is_image', nullable: true }) isImage!: boolean | null;
  /** The name of the public key that its signature was checked against; null: it came without one. */
  @Column('text', { name: 'signed_by', nullable: true }) signedBy!: string | null;
  /** Ed25519 over the bytes of the digest, in base64. */
  @Column('text', { nullable: true }) signature!: string | null;
  @Column('text', { name: 'created_by', nullable: true }) createdBy!: string | null;
  @Column('text', { name: 'created_by_name', nullable: true }) createdByName!: string | null;
  /** Backup: when the device was last found to have this very configuration; null: never since it was made. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true }) confirmedAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
