import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { unreadChoices } from '../../api/problems.js';
import { summaryQuery } from '../../api/queries.js';
import { Chip, Chips } from '../../ui/devices/chips.js';
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
  const [remove, setRemove] = useState<readonly string[]>([]);
  const preview = usePreview(selector, 'device.manage');
  const add = words(added);
  const body = { selector, add, remove: [...remove], expectedDigest: preview.data?.digest ?? '' };
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
      missing={[add.length + remove.length === 0 && 'a tag']}
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
      <PresentTags selector={selector} removed={remove} onChange={setRemove} />
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

interface PresentTagsProps {
  selector: string;
  removed: readonly string[];
  onChange: (removed: readonly string[]) => void;
}

/** The tags that the devices have, with how many have each; a click removes one, another click keeps it. */
function PresentTags({ selector, removed, onChange }: PresentTagsProps): ReactNode {
  const { data, error } = useQuery(summaryQuery({ selector, by: 'tag' }));
  if (error) return <p className="small quiet">{unreadChoices(error)}</p>;
  const tags = data?.groups[0]?.values.flatMap(({ value, devices }) => (value === null ? [] : [{ value, devices }]));
  if (tags?.length === 0) return <p className="small quiet">They have no tags yet.</p>;
  return (
    <div className="stack">
      <span>Remove tags</span>
      <Chips label="Tags to remove">
        {!tags && <span className="awaited" />}
        {tags?.map(({ value, devices }) => (
          <Chip
            key={value}
            isOn={removed.includes(value)}
            onClick={() =>
              onChange(removed.includes(value) ? removed.filter((one) => one !== value) : [...removed, value])
            }
          >
            {removed.includes(value) ? <s>{value}</s> : value} <span className="quiet">{numberText(devices)}</span>
          </Chip>
        ))}
      </Chips>
    </div>
  );
}
