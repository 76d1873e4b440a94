import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { AppError } from '../platform/errors.js';
import { Artifact } from './artifact.entity.js';
import { type ArtifactClaim } from './kinds/kind.js';

/** That a job uses an artifact. */
@Entity({ name: 'artifact_use' })
export class ArtifactUse {
  @PrimaryColumn('uuid', { name: 'artifact_id' })
  artifactId!: string;

  @PrimaryColumn('uuid', { name: 'job_id' })
  jobId!: string;

  /** What the artifact was when the job started; another digest is refused when it is used. */
  @Column('text')
  sha256!: string;
}

/**
 * Notes which artifacts a job uses, in the transaction that starts it. Each is locked, so that it cannot be deleted at
 * the same moment.
 * @throws AppError `artifact_not_found`, `artifact_changed`, `invalid_input` (of another kind)
 */
export async function claimArtifacts(
  tx: EntityManager,
  jobId: string,
  claims: readonly ArtifactClaim[],
): Promise<void> {
  for (const { artifactId, kind, sha256: expected } of claims) {
    const artifact = await tx.findOne(Artifact, { where: { id: artifactId }, lock: { mode: 'pessimistic_read' } });
    if (!artifact) throw new AppError('artifact_not_found', { artifactId });
    if (kind && artifact.kind !== kind) {
      const detail = `the artifact ${artifactId} is of the kind ${artifact.kind}, not ${kind}`;
      throw new AppError('invalid_input', { errors: [{ pointer: '/body/spec', detail }] });
    }
    if (expected !== undefined && artifact.sha256 !== expected) {
      throw new AppError('artifact_changed', { artifactId, expectedSha256: expected, foundSha256: artifact.sha256 });
    }
    await tx.insert(ArtifactUse, { artifactId, jobId, sha256: artifact.sha256 });
  }
}
