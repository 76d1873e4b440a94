import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { useOperatorNames } from './accounts.js';
import { PersonLink } from './people/person-link.js';

type Lock = Schema<'LockView'>;

export const LOCK_KINDS = {
  operator: 'A person',
  key: 'An API key',
  device: 'A device',
  selector: 'Devices',
  writes: 'All writes',
} as const;

/** What a lock stops, by its name. */
export function LockTarget({ of: { kind, target } }: { of: Lock }): ReactNode {
  const names = useOperatorNames(kind === 'operator');
  if (target === null) return <span className="quiet">–</span>;
  if (kind === 'device') return <DeviceLink id={target} />;
  if (kind === 'operator' && names.has(target)) return <PersonLink id={target} name={names.get(target) ?? ''} />;
  return <code className="foreign cut">{target}</code>;
}

/** Asks before a lock ends. */
export function Lift({ lock, onClose }: { lock: Lock; onClose: () => void }): ReactNode {
  const { id, kind, reason } = lock;
  const lift = useAction({
    run: () => api.delete('/v1/locks/{lockId}', { params: { path: { lockId: id } } }),
    done: 'The lock is lifted',
    refreshes: ['locks', 'devices', 'device'],
    after: onClose,
  });
  return (
    <Confirm
      title="Lift the lock"
      send="Lift lock"
      isHarmless
      busy={lift.isPending}
      equivalent={{ command: `lock lift ${id}`, method: 'DELETE', path: `/v1/locks/${id}` }}
      onConfirm={() => lift.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {LOCK_KINDS[kind]} {lock.target !== null && <LockTarget of={lock} />}:{' '}
          <strong className="foreign">{reason}</strong>
        </p>
        <p>
          What the lock stopped is allowed at once.
          {kind !== 'operator' && kind !== 'key' && ' Rollouts that it paused stay paused until a person resumes them.'}
        </p>
      </div>
    </Confirm>
  );
}
