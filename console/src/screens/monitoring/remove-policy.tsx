import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';

type Policy = Schema<'ListedMonitoringPolicy'>;

export function RemovePolicy({ policy: { id, name }, onClose }: { policy: Policy; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () =>
      api.delete('/v1/monitoring/policies/{monitoringPolicyId}', { params: { path: { monitoringPolicyId: id } } }),
    done: 'Collection removed',
    refreshes: ['monitoring'],
    after: onClose,
  });
  return (
    <Confirm
      title="Remove this collection"
      send="Remove"
      typed={name}
      busy={remove.isPending}
      equivalent={{
        command: `monitoring remove ${id} --yes`,
        method: 'DELETE',
        path: `/v1/monitoring/policies/${id}`,
      }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its devices are not sampled any more, unless another collection names them. Their latest values stay, and grow
      old.
    </Confirm>
  );
}
