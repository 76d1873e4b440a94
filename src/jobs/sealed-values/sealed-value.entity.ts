import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The jobs of a backup policy are started by this subject: `started_by`, and the `created_by` of its backups. */
export const policySubject = (policyId: string) => `system:backup-policy:${policyId}`;

/** A secret that a job sends to a device or brought from it: jobs name it by its id. */
@Entity({ name: 'sealed_value' })
export class SealedValue {
  @PrimaryColumn('uuid') id!: string;
  /** What it is, for people. */
  @Column('text') label!: string;
  @Column('bytea', { name: 'sealed_content', select: false }) sealedContent!: Buffer;
  @Column('uuid', { name: 'device_id', nullable: true }) deviceId!: string | null;
  /** The job that made it; null for one that an operator gave. */
  @Column('uuid', { name: 'job_id', nullable: true }) jobId!: string | null;
  /** What the job calls it: a job makes one value of a name, however often its step is repeated. */
  @Column('text', { nullable: true }) name!: string | null;
  /** The operator who gave it: only their jobs may use it. Null for one that a job made and for a policy's copy. */
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  /** The backup policy whose copy of a passphrase this is: only its backups, and restores of them, may use it. */
  @Column('uuid', { name: 'policy_id', nullable: true }) policyId!: string | null;
  /** The template whose copy of a secret this is: no job that a person starts may name it. */
  @Column('uuid', { name: 'template_id', nullable: true }) templateId!: string | null;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('text', { name: 'created_by_name' }) createdByName!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
