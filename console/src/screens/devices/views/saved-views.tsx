import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.js';
import { unreadChoices } from '../../../api/problems.js';
import { useMay } from '../../../api/may.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Button } from '../../../ui/button.js';
import { type SearchText, useSearchText } from '../../../ui/to.js';
import { RemoveSelector } from './remove-selector.js';
import { SaveView } from './save-view.js';

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
  const [removed, setRemoved] = useState<string | null>(null);
  const mayManage = useMay('selector.manage');
  const { data: shared, error } = useQuery({
    queryKey: KEYS.selectors.all,
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
          <div key={name} className="row spread">
            <Button kind="quiet" onClick={() => open({ selector: `@${name}` })}>
              <span className="cut">@{name}</span>
            </Button>
            {mayManage && (
              <Button kind="quiet" aria-label={`Remove the selector ${name}`} onClick={() => setRemoved(name)}>
                Remove
              </Button>
            )}
          </div>
        ))}
        {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
        <Button onClick={() => setSaving(true)}>Save this view</Button>
      </div>
      {removed !== null && <RemoveSelector name={removed} onClose={() => setRemoved(null)} />}
      {isSaving && (
        <SaveView
          selector={search['selector']}
          taken={{ own: own.map(({ name }) => name), shared: shared?.items.map(({ name }) => name) ?? [] }}
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
