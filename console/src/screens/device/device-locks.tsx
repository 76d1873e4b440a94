import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Notice } from '../../ui/messages.js';
import { Ago } from '../../ui/time.js';

/** The locks that stop writes to a device: its own, and those of all writes. */
export function DeviceLocks({ device: { id } }: { device: Schema<'Device'> }): ReactNode {
  const { rows } = useList('/v1/locks', { key: ['locks', 'in-force'], enabled: useMay('lock.read') });
  const own = rows.filter(({ kind, target }) => kind === 'writes' || target === id || target === `id=${id}`);
  return own.map((lock) => (
    <Notice key={lock.id} tone="warn">
      <strong>{lock.kind === 'writes' ? 'All writes are stopped.' : 'Writes to this device are refused.'}</strong>{' '}
      <span className="foreign">{lock.reason}</span>{' '}
      {lock.endsAt ? (
        <>
          Ends <Ago at={lock.endsAt} />.
        </>
      ) : (
        'Ends when it is lifted.'
      )}
    </Notice>
  ));
}
