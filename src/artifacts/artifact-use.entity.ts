import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { Artifact, type ArtifactKind } from './artifact.entity.js';
import { columnsOf } from '../database/columns-of.js';

/** That a job uses an artifact. */
@Entity({ name: 'artifact_use' })
export class ArtifactUse {
  @PrimaryColumn('uuid', { name: 'artifact_id' }) artifactId!: string;
  @PrimaryColumn('uuid', { name: 'job_id' }) jobId!: string;
  /** What the artifact was when the job started; another digest is refused when it is used. */
  @Column('text') sha256!: string;
}

/** An artifact that a job uses. */
export interface ArtifactReference {
  readonly artifactId: string;
  /** What it must be; absent: anything. */
  readonly kind?: ArtifactKind;
  /** The approved digest; another one is refused. */
  readonly sha256?: string | undefined;
  /** Whether the device only gets back what it gave: then its author needs no right to read the secrets in it. */
  readonly goesBack?: boolean;
}

export interface JobArtifacts {
  readonly jobId: string;
  readonly artifacts: readonly ArtifactReference[];
}

/**
 * Records which artifacts jobs use, in the transaction that starts them. It locks each artifact, so that a caller cannot
 * delete it at the same moment.
 * @throws AppError `artifact_not_found`, `artifact_changed`, `invalid_input` (of another kind)
 */
export async function recordUses(tx: EntityManager, jobs: readonly JobArtifacts[]): Promise<void> {
  const uses: { artifactId: string; jobId: string; sha256: string }[] = [];
  const found = new Map<string, Artifact>();
  for (const { jobId, artifacts } of jobs) {
    for (const reference of artifacts) {
      const { artifactId } = reference;
      const artifact = found.get(artifactId) ?? (await lockArtifact(tx, artifactId));
      found.set(artifactId, artifact);
      refuseOther(artifact, reference);
      uses.push({ artifactId, jobId, sha256: artifact.sha256 });
    }
  }
  if (uses.length === 0) return;
  await tx.query(
    `insert into artifact_use (artifact_id, job_id, sha256) select * from unnest($1::uuid[], $2::uuid[], $3::text[])`,
    columnsOf(uses, 'artifactId', 'jobId', 'sha256'),
  );
}

async function lockArtifact(tx: EntityManager, artifactId: string): Promise<Artifact> {
  const artifact = await tx.findOne(Artifact, { where: { id: artifactId }, lock: { mode: 'pessimistic_read' } });
  if (!artifact) throw new AppError('artifact_not_found', { artifactId });
  return artifact;
}

/** @throws AppError `artifact_changed`, `invalid_input` (of another kind) */
export function refuseOther(
  { kind, sha256 }: Pick<Artifact, 'kind' | 'sha256'>,
  { artifactId, kind: wanted, sha256: expected }: ArtifactReference,
): void {
  if (wanted && kind !== wanted) {
    const detail = `the artifact ${artifactId} is of the kind ${kind}, not ${wanted}`;
    throw new AppError('invalid_input', { errors: [{ pointer: '/body/spec', detail }] });
  }
  if (expected !== undefined && sha256 !== expected) {
    throw new AppError('artifact_changed', { artifactId, expectedSha256: expected, foundSha256: sha256 });
  }
}
