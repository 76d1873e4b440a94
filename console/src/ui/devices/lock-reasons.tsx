import { type ReactNode } from 'react';
import { useLocksOfDevices } from './device-locks.js';

/** More are behind the link to the locks. */
const SHOWN = 3;

/**
 * Behind a word such as “locked”: the reasons of the locks in force that stop calls to the devices.
 * @param devices their ids; empty: not all of them are known, so that it is one of all locks
 */
export function LockReasons({ devices }: { devices: readonly string[] }): ReactNode {
  const locks = useLocksOfDevices(devices);
  if (locks.length === 0) return null;
  const reasons = locks.slice(0, SHOWN).map(({ reason, createdByName }) => `${reason}, by ${createdByName}`);
  return (
    <span className="foreign">
      {' '}
      ({locks.length > 1 && devices.length !== 1 && 'one of: '}
      {reasons.join('; ')}
      {locks.length > SHOWN ? ' …' : ''})
    </span>
  );
}
