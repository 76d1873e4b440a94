import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { Redactor } from '../../platform/secrets/redactor.js';
import { checkPath } from '../../proxy/connections/call-request.js';
import { type CallCheck, type RolloutPolicy } from './rollout-policy.js';

/**
 * Health checks can compare secrets. Answers and the audit show the fingerprints of these: reading a rollout is no
 * reading of a device. A fingerprint that is sent back compares like the secret itself (`health-looks.ts`).
 */
@Injectable()
export class CheckSecrets {
  constructor(@Inject(Redactor) private readonly redactor: Pick<Redactor, 'hide'>) {}

  /** What carries a policy, with fingerprints in the place of the secrets that its checks compare. */
  hide<T extends { readonly policy: RolloutPolicy }>(of: T): T {
    const { checks } = of.policy;
    if (!checks.some(({ check }) => check === 'call')) return of;
    const hidden = checks.map((check) => (check.check === 'call' ? { ...check, match: this.matchOf(check) } : check));
    return { ...of, policy: { ...of.policy, checks: hidden } };
  }

  /** What a check compares, without its secrets. */
  matchOf({ path, match }: CallCheck): CallCheck['match'] {
    return this.redactor.hide({ data: match }, pathOf(path)).data;
  }
}

/** A path that was stored before paths were checked is taken as it is. */
function pathOf(path: string): string {
  try {
    return checkPath(path).policy;
  } catch (error) {
    if (error instanceof AppError) return path;
    throw error;
  }
}
