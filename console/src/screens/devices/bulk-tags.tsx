import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Adds and removes tags of all devices of a selector. */
export function TagDevices({ selector, onClose }: { selector: string; onClose: () => void }): ReactNode {
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState('');
  const preview = usePreview(selector, 'device.manage');
  const [add, remove] = [words(added), words(removed)];
  const body = { selector, add, remove, expectedDigest: preview.data?.digest ?? '' };
  const save = useAction({
    run: () => api.post('/v1/devices/tags', { body }),
    done: ({ changed, locked, forbidden }) =>
      `Tags of ${countText(changed, 'device')} changed${locked + forbidden > 0 ? `, ${numberText(locked + forbidden)} left as they are` : ''}`,
    refreshes: ['devices', 'device'],
    after: onClose,
    quiet: true,
  });
  const command = `device tag --selector ${shellWord(selector)}${add.length ? ` --add ${shellWord(add.join(','))}` : ''}${remove.length ? ` --remove ${shellWord(remove.join(','))}` : ''}`;
  return (
    <FormDialog
      title="Tag devices"
      send="Save tags"
      busy={save.isPending}
      disabled={!preview.data?.count || add.length + remove.length === 0}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <SelectionPreview preview={preview} />
      <TextField
        label="Add tags"
        hint="Separated by commas"
        value={added}
        autoFocus
        onChange={(event) => setAdded(event.target.value)}
      />
      <TextField
        label="Remove tags"
        hint="Separated by commas"
        value={removed}
        onChange={(event) => setRemoved(event.target.value)}
      />
      {save.error ? (
        <Failure
          error={save.error}
          onRetry={() => {
            save.reset();
            void preview.refetch();
          }}
        />
      ) : null}
      <EquivalentLines command={command} method="POST" path="/v1/devices/tags" body={body} />
    </FormDialog>
  );
}
