import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';
import { Notice } from '../../../ui/messages.js';

/** Saves the view under a name: for this person in the browser, or its selector for all operators. */
export function SaveView({
  selector,
  taken,
  onOwn,
  onClose,
}: {
  selector: string | undefined;
  /** The names that own views and shared selectors have. */
  taken: { readonly own: readonly string[]; readonly shared: readonly string[] };
  onOwn: (name: string) => void;
  onClose: () => void;
}): ReactNode {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const isTaken = (isShared ? taken.shared : taken.own).includes(name);
  /** The name that the person was told about. */
  const [told, setTold] = useState<string | null>(null);
  const place = `${isShared} ${name}`;
  const isReplacing = isTaken && told === place;
  const share = useAction({
    run: () =>
      api.put('/v1/selectors/{name}', {
        params: { path: { name } },
        body: { selector: selector ?? 'all', description: '' },
      }),
    done: `The selector @${name} is saved`,
    opens: () => ({ text: 'Its devices', to: `/devices?selector=${encodeURIComponent(`@${name}`)}` }),
    refreshes: ['selectors'],
    after: onClose,
  });
  const send = () => {
    if (isTaken && !isReplacing) return setTold(place);
    if (isShared) return share.mutate();
    onOwn(name);
    onClose();
  };
  return (
    <FormDialog
      title="Save this view"
      send={isReplacing ? 'Replace it' : 'Save'}
      danger={isReplacing}
      busy={share.isPending}
      disabled={name.trim() === ''}
      missing={[name.trim() === '' && 'a name']}
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
      {isReplacing && (
        <Notice tone="warn">
          <strong className="foreign">There is already a {isShared ? `selector @${name}` : `view ${name}`}.</strong>
          {isShared
            ? 'Rollouts, schedules and roles that use it would then mean other devices.'
            : 'What it shows now would be lost.'}
        </Notice>
      )}
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
