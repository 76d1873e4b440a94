import { type EntityManager } from 'typeorm';
import { type Audit } from '../../audit/entries/audit.js';
import { type ArtifactReference, recordUses } from '../../artifacts/artifact-use.entity.js';
import { storableJson } from '../../database/storable.js';
import { type Actor } from '../../platform/actor.js';
import { type JobRow } from './job.entity.js';

/** A job that is not stored yet, with its author and the artifacts that it uses. */
export interface NewJob {
  readonly job: JobRow;
  readonly author: Actor;
  readonly artifacts: readonly ArtifactReference[];
}

/** The columns of a job that are not the same for all new jobs, with their types. */
const COLUMNS = {
  id: 'uuid',
  device_id: 'uuid',
  kind: 'text',
  spec: 'jsonb',
  cursor: 'jsonb',
  wake_at: 'timestamptz',
  deadline_at: 'timestamptz',
  started_by: 'text',
  started_by_name: 'text',
  operator_id: 'uuid',
  reason: 'text',
  request_id: 'text',
  created_at: 'timestamptz',
  is_bulk: 'boolean',
} as const;

const columns = Object.keys(COLUMNS).join(', ');
const types = Object.entries(COLUMNS).map(([column, type]) => `${column} ${type}`);

/** All processes lock devices in the order of their ids, so that they never deadlock. */
const INSERT_JOBS = `
  with started as (
    insert into job (phase, ${columns})
    select 'queued', ${columns} from json_to_recordset($1::json) as line (${types.join(', ')})
     order by device_id
    returning id, created_at, started_by_name)
  insert into job_log_line (job_id, ordinal, at, step, text)
  select id, 1, created_at, 'start', started_by_name || ' started the job' from started`;

/**
 * Stores new jobs with the first line of their logs, their artifacts and their audit entries: two statements for any
 * number of jobs without artifacts.
 * @throws AppError `artifact_not_found`, `artifact_changed`, `invalid_input` (an artifact of another kind)
 */
export async function insertJobs(tx: EntityManager, audit: Audit, newJobs: readonly NewJob[]): Promise<void> {
  await tx.query(INSERT_JOBS, [storableJson(newJobs.map(({ job }) => valuesOf(job)))]);
  await recordUses(
    tx,
    newJobs.map(({ job, artifacts }) => ({ jobId: job.id, artifacts })),
  );
  await audit.recordAll(
    tx,
    newJobs.map(({ job, author }) => ({
      actor: author,
      action: 'job.start',
      subject: `job:${job.id}`,
      deviceId: job.deviceId,
      jobId: job.id,
      facts: { kind: job.kind, spec: job.spec },
    })),
  );
}

const valuesOf = (job: JobRow): Record<keyof typeof COLUMNS, unknown> => ({
  id: job.id,
  device_id: job.deviceId,
  kind: job.kind,
  spec: job.spec,
  cursor: job.cursor,
  wake_at: job.wakeAt,
  deadline_at: job.deadlineAt,
  started_by: job.startedBy,
  started_by_name: job.startedByName,
  operator_id: job.operatorId,
  reason: job.reason,
  request_id: job.requestId,
  created_at: job.createdAt,
  is_bulk: job.isBulk,
});
