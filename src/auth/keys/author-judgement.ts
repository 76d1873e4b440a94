import { AppError } from '../../platform/errors.js';
import { type Lock } from '../access/locks.contract.js';
import { lockedError } from '../access/lock-table.js';
import { type RequiredRight, type Rights, type ScopedDevice } from '../rights/rights.js';

/* Whether work that goes on without its caller may make its next call: its author is judged as they are now. Pure. */

/** An author at one moment. */
export interface JudgedAuthor {
  readonly name: string;
  /** Null: the author is disabled, or their key was revoked. */
  readonly rights: Rights | null;
}

/**
 * The refusal of a call, as an error; null: it may be made.
 * @param needs the rights that the call needs
 * @param device null: whether it may be made on any device
 * @param lock the lock that stops it, of the author, the device or all writes
 */
export function refusalOf(
  { name: startedBy, rights }: JudgedAuthor,
  needs: readonly RequiredRight[],
  device: ScopedDevice | null,
  lock: Lock | null,
): AppError | null {
  if (lock) return lockedError(lock);
  if (rights === null) return new AppError('author_gone', { startedBy });
  const missing = needs.find((need) => !rights.allows(device ? { ...need, device } : { action: need.action }));
  return missing ? new AppError('starter_may_not', { permission: missing.action, startedBy }) : null;
}

/** Why work has stopped, in a sentence. @param by the person whose change stopped it; null: it is not known */
export function stopSentence({ code, facts }: AppError, by: string | null): string {
  const who = by === null ? '' : `, by ${by}`;
  if (code === 'locked') return `locked by ${String(facts['by'])}: ${String(facts['reason'])}`;
  if (code === 'author_gone') return `its author is disabled, or their key was revoked${who}`;
  return `its author has lost the permission ${String(facts['permission'])}${who}`;
}
