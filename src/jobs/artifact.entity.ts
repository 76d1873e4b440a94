import { Column, Entity, PrimaryColumn } from 'typeorm';

export type ArtifactKind = 'firmware' | 'backup' | 'certificate';

/** Bytes with a digest that a job made or needs. The bytes stand in the artifact store under their digest. */
@Entity({ name: 'artifact' })
export class Artifact {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  sha256!: string;

  /** Sizes stay far below 2^53, so the text that the driver gives for a bigint becomes a number. */
  @Column('bigint', { transformer: { from: Number, to: (bytes: number) => bytes } })
  bytes!: number;

  @Column('text')
  kind!: ArtifactKind;

  /** The file name under which it is downloaded. */
  @Column('text')
  name!: string;

  /** No foreign key: an artifact outlives its device and its job. */
  @Column('uuid', { name: 'device_id', nullable: true })
  deviceId!: string | null;

  @Column('uuid', { name: 'job_id', nullable: true })
  jobId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;
}
