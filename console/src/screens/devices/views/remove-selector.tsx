import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { Confirm } from '../../../ui/confirm.js';

/** Removes a saved selector, after its name was typed: other selectors, schedules and policies may name it. */
export function RemoveSelector({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/selectors/{name}', { params: { path: { name } } }),
    done: `The selector @${name} is removed`,
    refreshes: ['selectors'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Remove the selector @${name}`}
      send="Remove"
      typed={name}
      equivalent={{ command: `selector remove ${name}`, method: 'DELETE', path: `/v1/selectors/${name}` }}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Selectors that name @{name} are invalid from then on. No device changes.
    </Confirm>
  );
}
