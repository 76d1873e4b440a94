import { Inject, Injectable } from '@nestjs/common';
import { type Principal } from '../../auth/access/access.js';
import { type Rights, type ScopedDevice } from '../../auth/rights/rights.js';
import { StepUp } from '../../auth/people/step-up.js';
import { AppError } from '../../platform/errors.js';
import { type ArtifactClaim, refuseOther } from '../../artifacts/artifact-use.entity.js';
import { ArtifactsService } from '../../artifacts/artifacts.service.js';
import { type JobKind, type SealedClaim } from '../kind/kind.js';
import { type SealedValue } from '../sealed-values/sealed-value.entity.js';
import { SealedValuesService } from '../sealed-values/sealed-values.service.js';

/*
 * A job sends the artifacts and sealed values of its spec to a device that its starter chose, so naming them is reading
 * them. A spec may name only those that its author could read directly, with the rights and the second factor of a
 * download or an opening. One that the author cannot see counts as missing, with the same error.
 */

/** The author of a spec. */
export interface SpecAuthor {
  readonly operatorId: string | null;
  readonly rights: Rights;
}

/** A named object with its check. */
interface Judged {
  /** Its refusal; null: it may be named. */
  readonly refusal: AppError | null;
  /** Whether reading it directly requires a second factor. */
  readonly stepUp: boolean;
}

const FREE: Judged = { refusal: null, stepUp: false };

@Injectable()
export class SpecRights {
  constructor(
    @Inject(ArtifactsService)
    private readonly artifacts: Pick<ArtifactsService, 'get' | 'hasBackup' | 'requireSecretsRight'>,
    @Inject(SealedValuesService) private readonly values: Pick<SealedValuesService, 'find'>,
    @Inject(StepUp) private readonly stepUp: Pick<StepUp, 'require'>,
  ) {}

  /**
   * Requires the right to all objects that a spec names.
   * @throws AppError `artifact_not_found`, `artifact_changed`, `invalid_input` (an artifact of another kind),
   *   `sealed_value_not_found`, `forbidden`, `step_up_required`
   */
  async require(kind: JobKind, spec: unknown, device: ScopedDevice, actor: Principal): Promise<void> {
    const judge = this.judgeFor(actor);
    const refusal = await judge.refusal(kind, spec, device.id);
    if (refusal) throw refusal;
    if (judge.stepUp) await this.stepUp.require(actor);
  }

  /** Whether reading the named objects directly would require a second factor. */
  async namesSecrets(kind: JobKind, spec: unknown): Promise<boolean> {
    if (await this.artifacts.hasBackup(kind.artifactsOf(spec).map(({ artifactId }) => artifactId))) return true;
    for (const { valueId, place } of kind.sealedValuesOf(spec)) {
      const value = await this.values.find(valueId);
      if (value && value.jobId !== null && !isPutBack(value, place)) return true;
    }
    return false;
  }

  /** Checks many specs of one author; each object is checked once. */
  judgeFor(author: SpecAuthor): SpecJudge {
    return new SpecJudge(
      (claim, deviceId) => this.judgeArtifact(claim, deviceId, author.rights),
      (claim, deviceId) => this.judgeValue(claim, deviceId, author),
    );
  }

  private async judgeArtifact(claim: ArtifactClaim, deviceId: string, rights: Rights): Promise<Judged> {
    const artifact = await this.artifacts.get(claim.artifactId, rights);
    refuseOther(artifact, claim);
    if (artifact.kind !== 'backup' || (claim.goesBack && artifact.deviceId === deviceId)) return FREE;
    await this.artifacts.requireSecretsRight(artifact, rights);
    return { refusal: null, stepUp: true };
  }

  private async judgeValue({ valueId, place }: SealedClaim, deviceId: string, author: SpecAuthor): Promise<Judged> {
    const value = await this.values.find(valueId);
    if (value !== null && value.operatorId !== null && value.operatorId === author.operatorId) return FREE;
    if (value?.jobId == null || value.deviceId !== deviceId) throw new AppError('sealed_value_not_found');
    if (isPutBack(value, place)) return FREE;
    author.rights.require({ action: 'sealed_value.open' });
    return { refusal: null, stepUp: true };
  }
}

/** Checks the objects that an author names, with a cache. */
export class SpecJudge {
  private readonly known = new Map<string, Promise<Judged>>();
  private asksStepUp = false;

  constructor(
    private readonly judgeArtifact: (claim: ArtifactClaim, deviceId: string) => Promise<Judged>,
    private readonly judgeValue: (claim: SealedClaim, deviceId: string) => Promise<Judged>,
  ) {}

  /** Whether any object so far requires a second factor. */
  get stepUp(): boolean {
    return this.asksStepUp;
  }

  /** The refusal of a spec for a device; null when there is none. */
  async refusal(kind: JobKind, spec: unknown, deviceId: string): Promise<AppError | null> {
    for (const claim of kind.artifactsOf(spec)) {
      // The device matters only for a backup that goes back to it.
      const { artifactId, kind: wanted, sha256, goesBack } = claim;
      const key = JSON.stringify([artifactId, wanted, sha256, goesBack ? deviceId : '']);
      const { refusal } = await this.once(key, () => this.judgeArtifact(claim, deviceId));
      if (refusal) return refusal;
    }
    for (const claim of kind.sealedValuesOf(spec)) {
      const key = `${claim.valueId} ${deviceId} ${JSON.stringify(claim.place)}`;
      const { refusal } = await this.once(key, () => this.judgeValue(claim, deviceId));
      if (refusal) return refusal;
    }
    return null;
  }

  /** The code of `refusal`, for a spec that its kind has not parsed; an invalid spec names nothing. */
  async reason(kind: JobKind, spec: unknown, deviceId: string): Promise<string | null> {
    const parsed = kind.spec.safeParse(spec);
    return parsed.success ? ((await this.refusal(kind, parsed.data, deviceId))?.code ?? null) : null;
  }

  private async once(key: string, judge: () => Promise<Judged>): Promise<Judged> {
    const judging = this.known.get(key) ?? judge().catch(asRefusal);
    this.known.set(key, judging);
    const judged = await judging;
    this.asksStepUp ||= judged.stepUp;
    return judged;
  }
}

/** Whether a `configure` job took a value from this option, of this item or of one in this collection. */
function isPutBack({ name }: Pick<SealedValue, 'name'>, place: SealedClaim['place']): boolean {
  if (!place || name === null) return false;
  const { path, option } = place;
  const from = name.split(' ', 1)[0] ?? '';
  const to = path.replace(/\/$/, '');
  const source = from.replace(/\/$/, '');
  const isThere = source === to || source.slice(0, source.lastIndexOf('/')) === to;
  return isThere && name.startsWith(`${from} ${option} `);
}

/** @throws errors other than refusals, such as of the database */
function asRefusal(error: unknown): Judged {
  if (error instanceof AppError && error.status < 500) return { refusal: error, stepUp: false };
  throw error;
}
