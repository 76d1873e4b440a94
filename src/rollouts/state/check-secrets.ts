import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors.js';
import { Redactor } from '../../secrets/redactor.js';
import { checkPath } from '../../proxy/connections/call-request.js';
import { type CallCheck, type RolloutPolicy } from './rollout-policy.js';

/**
 * Health checks can compare secrets. Answers and the audit show their fingerprints, so a reader of a rollout does not
 * read a device. A fingerprint that a caller sends back compares like the secret itself (`check-runner.ts`).
 */
@Injectable()
export class CheckSecrets {
  constructor(@Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>) {}

  /** A value with a policy, with fingerprints instead of the secrets that its checks compare. */
  redacted<T extends { readonly policy: RolloutPolicy }>(value: T): T {
    const { checks } = value.policy;
    if (!checks.some(({ check }) => check === 'call')) return value;
    const redacted = checks.map((check) => (check.check === 'call' ? { ...check, match: this.matchOf(check) } : check));
    return { ...value, policy: { ...value.policy, checks: redacted } };
  }

  /** The expected value of a check, without its secrets. */
  matchOf({ path, match }: CallCheck): CallCheck['match'] {
    return this.redactor.redacted({ data: match }, pathOf(path)).data;
  }
}

/** A path from before paths were checked is used unchanged. */
function pathOf(path: string): string {
  try {
    return checkPath(path).authPath;
  } catch (error) {
    if (error instanceof AppError) return path;
    throw error;
  }
}
