import { Inject, Injectable } from '@nestjs/common';
import { type Principal } from '../../auth/access/access.js';
import { type Rights, type ScopedDevice } from '../../auth/rights/rights.js';
import { StepUp } from '../../auth/people/step-up.js';
import { AppError } from '../../platform/errors.js';
import { type ArtifactReference, refuseOther } from '../../artifacts/artifact-use.entity.js';
import { ArtifactsService } from '../../artifacts/artifacts.service.js';
import { type JobKind, type SealedReference } from '../kind-api/kind.js';
import { type SealedValue } from '../sealed-values/sealed-value.entity.js';
import { SealedValuesService } from '../sealed-values/sealed-values.service.js';

/*
 * A job sends the artifacts and sealed values of its spec to a device that its author chose, so naming them is reading
 * them. A spec may name only those that its author could read directly, with the rights and the second factor for a
 * download, or for opening a sealed value. One that the author cannot see counts as missing, with the same error.
 */

export interface SpecAuthor {
  readonly operatorId: string | null;
  readonly rights: Rights;
}

/** A named object with its check. */
interface ReferenceCheck {
  /** Its refusal; null: it may be named. */
  readonly refusal: AppError | null;
  /** Whether reading it directly requires a second factor. */
  readonly stepUp: boolean;
}

const ALLOWED: ReferenceCheck = { refusal: null, stepUp: false };

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
    const check = this.checkerFor(actor);
    const refusal = await check.refusal(kind, spec, device.id);
    if (refusal) throw refusal;
    if (check.stepUp) await this.stepUp.require(actor);
  }

  /** Whether reading the named objects directly would require a second factor. */
  async needsSecondFactor(kind: JobKind, spec: unknown): Promise<boolean> {
    if (await this.artifacts.hasBackup(kind.artifactsOf(spec).map(({ artifactId }) => artifactId))) return true;
    for (const { valueId, destination } of kind.sealedValuesOf(spec)) {
      const value = await this.values.find(valueId);
      if (value && value.jobId !== null && !isPutBack(value, destination)) return true;
    }
    return false;
  }

  /** Checks many specs of one author; each object is checked once. */
  checkerFor(author: SpecAuthor): SpecChecker {
    return new SpecChecker(
      (reference, deviceId) => this.checkArtifact(reference, deviceId, author.rights),
      (reference, deviceId) => this.checkValue(reference, deviceId, author),
    );
  }

  private async checkArtifact(reference: ArtifactReference, deviceId: string, rights: Rights): Promise<ReferenceCheck> {
    const artifact = await this.artifacts.get(reference.artifactId, rights);
    refuseOther(artifact, reference);
    if (artifact.kind !== 'backup' || (reference.goesBack && artifact.deviceId === deviceId)) return ALLOWED;
    await this.artifacts.requireSecretsRight(artifact, rights);
    return { refusal: null, stepUp: true };
  }

  private async checkValue(
    { valueId, destination }: SealedReference,
    deviceId: string,
    author: SpecAuthor,
  ): Promise<ReferenceCheck> {
    const value = await this.values.find(valueId);
    if (value !== null && value.operatorId !== null && value.operatorId === author.operatorId) return ALLOWED;
    if (value?.jobId == null || value.deviceId !== deviceId) throw new AppError('sealed_value_not_found');
    if (isPutBack(value, destination)) return ALLOWED;
    author.rights.require({ action: 'sealed_value.open' });
    return { refusal: null, stepUp: true };
  }
}

/** Checks the objects that an author names, with a cache. */
export class SpecChecker {
  private readonly known = new Map<string, Promise<ReferenceCheck>>();
  private needsStepUp = false;

  constructor(
    private readonly checkArtifact: (reference: ArtifactReference, deviceId: string) => Promise<ReferenceCheck>,
    private readonly checkValue: (reference: SealedReference, deviceId: string) => Promise<ReferenceCheck>,
  ) {}

  /** Whether any object so far requires a second factor. */
  get stepUp(): boolean {
    return this.needsStepUp;
  }

  /** The refusal of a spec for a device; null when there is none. */
  async refusal(kind: JobKind, spec: unknown, deviceId: string): Promise<AppError | null> {
    for (const reference of kind.artifactsOf(spec)) {
      // The device matters only for a backup that goes back to it.
      const { artifactId, kind: wanted, sha256, goesBack } = reference;
      const key = JSON.stringify([artifactId, wanted, sha256, goesBack ? deviceId : '']);
      const { refusal } = await this.once(key, () => this.checkArtifact(reference, deviceId));
      if (refusal) return refusal;
    }
    for (const reference of kind.sealedValuesOf(spec)) {
      const key = `${reference.valueId} ${deviceId} ${JSON.stringify(reference.destination)}`;
      const { refusal } = await this.once(key, () => this.checkValue(reference, deviceId));
      if (refusal) return refusal;
    }
    return null;
  }

  /** The code of `refusal`, for a spec that its kind has not parsed; an invalid spec names nothing. */
  async reason(kind: JobKind, spec: unknown, deviceId: string): Promise<string | null> {
    const parsed = kind.spec.safeParse(spec);
    return parsed.success ? ((await this.refusal(kind, parsed.data, deviceId))?.code ?? null) : null;
  }

  private async once(key: string, check: () => Promise<ReferenceCheck>): Promise<ReferenceCheck> {
    const checking = this.known.get(key) ?? check().catch(asRefusal);
    this.known.set(key, checking);
    const checked = await checking;
    this.needsStepUp ||= checked.stepUp;
    return checked;
  }
}

/** Whether a `configure` job took a value from this option, of this item or of one in this collection. */
function isPutBack({ name }: Pick<SealedValue, 'name'>, destination: SealedReference['destination']): boolean {
  if (!destination || name === null) return false;
  const { path, option } = destination;
  const from = name.split(' ', 1)[0] ?? '';
  const to = path.replace(/\/$/, '');
  const source = from.replace(/\/$/, '');
  const isThere = source === to || source.slice(0, source.lastIndexOf('/')) === to;
  return isThere && name.startsWith(`${from} ${option} `);
}

/** @throws errors other than refusals, such as of the database */
function asRefusal(error: unknown): ReferenceCheck {
  if (error instanceof AppError && error.status < 500) return { refusal: error, stepUp: false };
  throw error;
}
