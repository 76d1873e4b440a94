import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The intent of an action. The application's role may only insert and read these rows. */
@Entity({ name: 'audit_entry' })
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { name: 'opened_at' })
  openedAt!: Date;

  /** `noun.verb`, as declared at the route or by the part that acts. */
  @Column('text')
  action!: string;

  @Column('text')
  actor!: string;

  @Column('text', { name: 'actor_name' })
  actorName!: string;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('uuid', { name: 'device_id', nullable: true })
  deviceId!: string | null;

  @Column('uuid', { name: 'job_id', nullable: true })
  jobId!: string | null;

  /** The fan-out that it belongs to. */
  @Column('uuid', { name: 'operation_id', nullable: true })
  operationId!: string | null;

  /** The target: `device:<id>`, `api_key:<id>`, or method and canonical path of a device call. */
  @Column('text')
  subject!: string;

  @Column('jsonb')
  facts!: Record<string, unknown>;
}

export type AuditOutcomeName = 'succeeded' | 'failed' | 'refused' | 'unknown';

/** How an entry ended. */
@Entity({ name: 'audit_outcome' })
export class AuditOutcome {
  @PrimaryColumn('uuid', { name: 'entry_id' })
  entryId!: string;

  @Column('timestamptz', { name: 'closed_at' })
  closedAt!: Date;

  @Column('text')
  outcome!: AuditOutcomeName;

  @Column('jsonb')
  facts!: Record<string, unknown>;
}
