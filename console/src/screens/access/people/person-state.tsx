import { type ReactNode } from 'react';
import { countText } from '../../../api/amount-text.js';
import { type Schema } from '../../../api/client.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Icon } from '../../../ui/icons.js';
import { Mark } from '../../../ui/mark.js';
import { Ago } from '../../../ui/time.js';
import { needsSecondFactor } from './second-factor-need.js';

/* What is so with a person, as their list and their page say it. */

type Operator = Schema<'Operator'>;

/** Neither they nor a program of theirs can come in yet. @param keys that work; null: the reader may not see the keys of others */
export const isWaiting = ({ disabledAt, hasPassword, providers }: Operator, keys: number | null): boolean =>
  disabledAt === null && !hasPassword && providers.length === 0 && keys === 0;

/** The lock that stops a person, by the person's id; for those who may see locks. */
export function usePersonLocks(): (id: string) => Schema<'LockView'> | undefined {
  const locks = useList('/v1/locks', { key: KEYS.locks.inForce, enabled: useMay('lock.read') }).rows;
  return (id) => locks.find(({ kind, target }) => kind === 'operator' && target === id);
}

/** A lock stops a person whatever else is so. */
export function Locked({ lock }: { lock: Schema<'LockView'> | undefined }): ReactNode {
  if (!lock) return null;
  return (
    <div className="foreign">
      <Icon name="lock" /> Locked: {lock.reason}
      {lock.endsAt && (
        <>
          , ends <Ago at={lock.endsAt} />
        </>
      )}
    </div>
  );
}

export function PersonState({ of: operator, keys }: { of: Operator; keys: number | null }): ReactNode {
  if (operator.disabledAt) return <Mark tone="plain">Disabled</Mark>;
  if (operator.hasPassword || operator.providers.length > 0) return <Mark tone="set">Can sign in</Mark>;
  if (isWaiting(operator, keys)) {
    return (
      <span title="No password, no provider, and no key that works: an invitation opens the account.">
        <Mark tone="warn">Cannot sign in yet</Mark>
      </span>
    );
  }
  return <Mark tone="plain">{keys === null ? 'Keys only' : `${countText(keys, 'key')}, no sign-in`}</Mark>;
}

export function Factor({ of }: { of: Operator }): ReactNode {
  if (of.hasSecondFactor) return <Mark tone="set">Set up</Mark>;
  if (needsSecondFactor(of)) return <Mark tone="warn">Missing</Mark>;
  return <span className="quiet">{of.hasPassword ? 'none' : '–'}</span>;
}
