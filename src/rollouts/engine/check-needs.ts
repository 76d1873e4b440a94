import { Inject, Injectable } from '@nestjs/common';
import { type RequiredRight, type Rights } from '../../auth/rights/rights.js';
import { type FactorHolder, StepUp } from '../../auth/people/step-up.js';
import { AppError } from '../../platform/errors.js';
import { Redactor } from '../../secrets/redactor.js';
import { checkPath, isBulkPath } from '../../proxy/connections/call-request.js';
import { type CallCheck, type HealthCheck } from '../state/rollout-policy.js';

/*
 * What the health checks of a rollout need. It is checked at the plan and whenever a person resumes the rollout, so that
 * a check that would be refused later is refused before any device is changed.
 */

/** The rights for the plan of a rollout. */
export interface PlanAuthor extends Pick<FactorHolder, 'keyId' | 'scope' | 'requestId'> {
  readonly operatorId: string | null;
  readonly rights: Rights;
}

@Injectable()
export class CheckNeeds {
  constructor(
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redact'>,
    @Inject(StepUp) private readonly stepUp: Pick<StepUp, 'isFresh'>,
  ) {}

  /** The rights that the checks need on each device. @throws AppError `path_refused` */
  rightsNeededBy(checks: readonly HealthCheck[]): readonly RequiredRight[] {
    return callsOf(checks).flatMap(({ check }): RequiredRight[] => {
      const path = pathOf(check);
      const read: RequiredRight = { action: 'device.call_read', path };
      return this.comparesSecret(check, path) ? [read, { action: 'device.read_secrets', path }] : [read];
    });
  }

  /**
   * Refuses checks that could never pass.
   * @param author the author has no second factor when the rollout runs, perhaps hours later
   * @throws AppError `invalid_input` with the JSON pointer of the check
   */
  async require(checks: readonly HealthCheck[], author: PlanAuthor): Promise<void> {
    for (const { check, pointer } of callsOf(checks)) {
      const path = readPath(check, pointer);
      if (!this.comparesSecret(check, path)) continue;
      if (await this.mayReadLater(author)) continue;
      const detail =
        'it compares a secret, and no second factor can be shown when it runs: use a key issued with scope.stepUp';
      throw new AppError('invalid_input', { errors: [{ pointer: `${pointer}/match`, detail }] });
    }
  }

  private async mayReadLater({ operatorId, ...author }: PlanAuthor): Promise<boolean> {
    return operatorId !== null && this.stepUp.isFresh({ ...author, operatorId, secondFactorAt: null });
  }

  private comparesSecret({ match }: CallCheck, path: string): boolean {
    return this.redactor.redact({ data: match }, path).hidden > 0;
  }
}

function callsOf(checks: readonly HealthCheck[]) {
  return checks.flatMap((check, index) =>
    check.check === 'call' ? [{ check, pointer: `/body/policy/checks/${index}` }] : [],
  );
}

/** The path for the check of rights. @throws AppError `path_refused` */
function pathOf({ path: raw }: CallCheck): string {
  const path = checkPath(raw);
  if (isBulkPath(path))
    throw new AppError('path_refused', { reason: 'a health check is one read, not a bulk request' });
  return path.authPath;
}

function readPath(check: CallCheck, pointer: string): string {
  try {
    return pathOf(check);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const detail = String(error.facts['reason']);
    throw new AppError('invalid_input', { errors: [{ pointer: `${pointer}/path`, detail }] }, { cause: error });
  }
}
