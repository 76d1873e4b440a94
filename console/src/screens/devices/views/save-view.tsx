import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';

/** Saves the view under a name: for this person in the browser, or its selector for all operators. */
export function SaveView({
  selector,
  onOwn,
  onClose,
}: {
  selector: string | undefined;
  onOwn: (name: string) => void;
  onClose: () => void;
}): ReactNode {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const share = useAction({
    run: () =>
      api.put('/v1/selectors/{name}', {
        params: { path: { name } },
        body: { selector: selector ?? 'all', description: '' },
      }),
    done: `The selector @${name} is saved`,
    refreshes: ['selectors'],
    after: onClose,
  });
  const send = () => {
    if (isShared) return share.mutate();
    onOwn(name);
    onClose();
  };
  return (
    <FormDialog
      title="Save this view"
      send="Save"
      busy={share.isPending}
      disabled={name.trim() === ''}
      onSend={send}
      onClose={onClose}
    >
      <TextField label="Name" value={name} autoFocus maxLength={60} onChange={(event) => setName(event.target.value)} />
      <label className="check">
        <input type="radio" name="who" checked={!isShared} onChange={() => setShared(false)} />
        For me, in this browser: filter, columns and order
      </label>
      <label className="check">
        <input type="radio" name="who" checked={isShared} onChange={() => setShared(true)} />
        For all operators: the selector, as @{name || 'name'}
      </label>
      {isShared && (
        <EquivalentLines
          command={`selector save ${name || 'NAME'} --selector '${selector ?? 'all'}'`}
          method="PUT"
          path={`/v1/selectors/${name || 'NAME'}`}
          body={{ selector: selector ?? 'all' }}
        />
      )}
    </FormDialog>
  );
}
