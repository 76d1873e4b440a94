import { AppError } from '../../platform/errors.js';
import { type Lock } from './locks.contract.js';
import { type CompiledSelector, type ScopedDevice } from '../rights/rights.js';

/* The active locks in memory, for synchronous checks in each call. Pure. */

export interface LockSubject {
  readonly operatorId: string;
  readonly keyId: string | null;
}

export class LockTable {
  private readonly byTarget = new Map<string, Lock[]>();
  private readonly selectors: { readonly lock: Lock; readonly selector: CompiledSelector | null }[] = [];
  private readonly ofWrites: Lock[] = [];
  /** Almost always true; then no check looks further. */
  readonly isEmpty: boolean;

  /** @param readSelector returns null for a selector that is no longer valid, which then locks every device */
  constructor(locks: readonly Lock[], readSelector: (text: string) => CompiledSelector | null) {
    this.isEmpty = locks.length === 0;
    for (const lock of locks) {
      if (lock.kind === 'writes') this.ofWrites.push(lock);
      else if (lock.kind === 'selector') this.selectors.push({ lock, selector: readSelector(lock.target!) });
      else {
        const key = `${lock.kind} ${lock.target}`;
        this.byTarget.set(key, [...(this.byTarget.get(key) ?? []), lock]);
      }
    }
  }

  /** The lock of a person or of the used key. */
  ofActor({ operatorId, keyId }: LockSubject, now: Date): Lock | null {
    if (this.isEmpty) return null;
    return this.at(`operator ${operatorId}`, now) ?? (keyId === null ? null : this.at(`key ${keyId}`, now));
  }

  ofDevice(device: ScopedDevice, now: Date): Lock | null {
    if (this.isEmpty) return null;
    return (
      this.at(`device ${device.id}`, now) ??
      this.selectors.find(({ lock, selector }) => inForce(lock, now) && (selector?.matches(device) ?? true))?.lock ??
      null
    );
  }

  /** The locked devices, as a condition on table `device`; adds its values to `values`. */
  devicesSql(values: unknown[], now: Date): string {
    const selectors = this.selectors.filter(({ lock }) => inForce(lock, now));
    const ids = [...this.byTarget.values()].flat().filter((lock) => lock.kind === 'device' && inForce(lock, now));
    const named = selectors.map(({ selector }) => selector?.sql(values, now) ?? 'true');
    if (ids.length > 0) named.push(`device.id = any($${values.push(ids.map(({ target }) => target))}::uuid[])`);
    return named.length === 0 ? 'false' : `(${named.join(' or ')})`;
  }

  ofAllWrites(now: Date): Lock | null {
    return this.ofWrites.find((lock) => inForce(lock, now)) ?? null;
  }

  private at(key: string, now: Date): Lock | null {
    return this.byTarget.get(key)?.find((lock) => inForce(lock, now)) ?? null;
  }
}

const inForce = ({ endsAt }: Lock, now: Date) => endsAt === null || endsAt > now;

/** The error with the lock's kind, reason, begin and end. */
export function lockedError({ id, kind, reason, createdAt, endsAt, createdByName }: Lock): AppError {
  const until = endsAt?.toISOString() ?? null;
  return new AppError('locked', {
    lock: id,
    locked: kind,
    reason,
    since: createdAt.toISOString(),
    until,
    by: createdByName,
  });
}
