import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../../api/client.js';
import { unreadChoices } from '../../../api/problems.js';
import { useMay } from '../../../api/may.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Button, IconButton } from '../../../ui/button.js';
import { placeAt } from '../../../ui/row-menu.js';
import { type SearchText, useSearchText } from '../../../ui/to.js';
import styles from '../devices.module.css';
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
  const [button, panel] = [useRef<HTMLButtonElement>(null), useRef<HTMLDivElement>(null)];
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
      <Button ref={button} popoverTarget="saved-views">
        Views
      </Button>
      <div
        ref={panel}
        id="saved-views"
        popover="auto"
        className={`popover ${styles['views']}`}
        role="group"
        aria-label="Views"
        onBeforeToggle={({ newState }) => newState === 'open' && placeAt(panel.current, button.current)}
      >
        <View text="All devices" onOpen={() => open({})} />
        {own.map((view) => (
          <View key={view.name} text={view.name} onOpen={() => open(view.search)}>
            <IconButton
              icon="close"
              label={`Forget the view ${view.name}`}
              onClick={() => store(own.filter((one) => one !== view))}
            />
          </View>
        ))}
        {shared?.items.map(({ name }) => (
          <View key={name} text={name} onOpen={() => open({ selector: `@${name}` })}>
            {mayManage && (
              <IconButton icon="close" label={`Remove the selector ${name}`} onClick={() => setRemoved(name)} />
            )}
          </View>
        ))}
        {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
        <hr />
        <Button kind="quiet" onClick={() => setSaving(true)}>
          Save this view …
        </Button>
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

interface ViewProps {
  text: string;
  onOpen: () => void;
  /** What removes it. */
  children?: ReactNode;
}

const View = ({ text, onOpen, children }: ViewProps): ReactNode => (
  <div>
    <Button kind="quiet" onClick={onOpen}>
      <span className="cut">{text}</span>
    </Button>
    {children}
  </div>
);
