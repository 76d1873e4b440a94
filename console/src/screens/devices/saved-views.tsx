import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.js';
import { useAction } from '../../api/action.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent.js';
import { TextField } from '../../ui/field.js';
import { type SearchText, useSearchText } from '../../ui/to.js';

/* Views: own ones are addresses stored in this browser, shared ones are saved selectors of the gateway. */

const KEY = 'fleetgate.views';
const PARTS = ['q', 'selector', 'sort', 'columns', 'density'] as const;

interface OwnView {
  readonly name: string;
  readonly search: SearchText;
}

function readOwn(): OwnView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as OwnView[]) : [];
  } catch {
    return [];
  }
}

export function SavedViews(): ReactNode {
  const [search, change] = useSearchText();
  const [own, setOwn] = useState(readOwn);
  const [isSaving, setSaving] = useState(false);
  const { data: shared } = useQuery({
    queryKey: ['selectors'],
    queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
    staleTime: 60_000,
  });
  const store = (views: OwnView[]) => {
    localStorage.setItem(KEY, JSON.stringify(views));
    setOwn(views);
  };
  const open = (view: SearchText) =>
    change({ ...Object.fromEntries([...PARTS, 'row'].map((part) => [part, undefined])), ...view });
  return (
    <>
      <Button popoverTarget="saved-views">Views</Button>
      <div id="saved-views" popover="auto" className="popover" role="group" aria-label="Views">
        <Button kind="quiet" onClick={() => open({})}>
          All devices
        </Button>
        {own.map((view) => (
          <div key={view.name} className="row spread">
            <Button kind="quiet" onClick={() => open(view.search)}>
              <span className="cut">{view.name}</span>
            </Button>
            <Button
              kind="quiet"
              aria-label={`Forget the view ${view.name}`}
              onClick={() => store(own.filter((one) => one !== view))}
            >
              Forget
            </Button>
          </div>
        ))}
        {shared?.items.map(({ name }) => (
          <Button key={name} kind="quiet" onClick={() => open({ selector: `@${name}` })}>
            <span className="cut">@{name}</span>
          </Button>
        ))}
        <Button onClick={() => setSaving(true)}>Save this view</Button>
      </div>
      {isSaving && (
        <SaveView
          selector={search['selector']}
          onClose={() => setSaving(false)}
          onOwn={(name) =>
            store([
              ...own.filter((one) => one.name !== name),
              { name, search: Object.fromEntries(PARTS.map((part) => [part, search[part]])) },
            ])
          }
        />
      )}
    </>
  );
}

function SaveView({
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
