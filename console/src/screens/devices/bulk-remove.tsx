import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { Confirm } from '../../ui/confirm.js';
import { Failure } from '../../ui/messages.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';

/** Removes all devices of a selector from the registry, after their number was typed. */
export function RemoveDevices({
  selector,
  onDone,
  onClose,
}: {
  selector: string;
  onDone: () => void;
  onClose: () => void;
}): ReactNode {
  const preview = usePreview(selector, 'device.manage');
  const body = { selector, expectedDigest: preview.data?.digest ?? '' };
  const remove = useAction({
    run: () => api.post('/v1/devices/delete', { body }),
    done: ({ removed }) => `${countText(removed, 'device')} removed`,
    refreshes: ['devices', 'device'],
    after: () => {
      onDone();
      onClose();
    },
    quiet: true,
  });
  return (
    <Confirm
      title="Remove devices"
      send="Remove"
      typed={`remove ${countText(preview.data?.count ?? 0, 'device').replaceAll(',', '')}`}
      busy={remove.isPending}
      equivalent={{
        command: `device remove-all --selector ${shellWord(selector)}`,
        method: 'POST',
        path: '/v1/devices/delete',
        body,
      }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <SelectionPreview preview={preview} />
        <p>
          Their credentials, ended jobs, alerts and history are deleted. Their backups and the entries of the audit
          stay. The routers themselves work as before.
        </p>
        {remove.error ? (
          <Failure
            error={remove.error}
            onRetry={() => {
              remove.reset();
              void preview.refetch();
            }}
          />
        ) : null}
      </div>
    </Confirm>
  );
}
