import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../../api/client.js';
import { unreadChoices } from '../../../api/problems.js';
import { useMay } from '../../../api/may.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Button, IconButton } from '../../../ui/button.js';
import { placeAt } from '../../../ui/row-menu.js';
import { useSearchText } from '../../../ui/to.js';
import { NO_VIEW, openOwn, openShared, type OpenView, openViewOf, type OwnView, withView } from './open-view.js';
import { RemoveSelector } from './remove-selector.js';
import { RenameView } from './rename-view.js';
import { SaveView } from './save-view.js';
import css from './views.module.css';

const KEY = 'fleetgate.views';

function readOwn(): OwnView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as OwnView[]) : [];
  } catch {
    return [];
  }
}

type OpenDialog = readonly ['save'] | readonly ['remove' | 'rename', string];

/** The views of the list. The button names the open one, and says when the list was changed since. */
export function SavedViews(): ReactNode {
  const [search, change] = useSearchText();
  const [own, setOwn] = useState(readOwn);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [button, panel] = [useRef<HTMLButtonElement>(null), useRef<HTMLDivElement>(null)];
  const { data: shared, error } = useQuery({
    queryKey: KEYS.selectors.all,
    queryFn: ({ signal }) => api.get('/v1/selectors', { signal }),
    staleTime: 60_000,
  });
  const sharedNames = shared?.items.map(({ name }) => name) ?? [];
  const open = openViewOf(search, own, sharedNames);
  const store = (views: readonly OwnView[]) => {
    localStorage.setItem(KEY, JSON.stringify(views));
    setOwn([...views]);
  };
  const show = (address: typeof search) => {
    panel.current?.hidePopover();
    change(address);
  };
  const saveOwn = (name: string) => {
    store(withView(own, name, search));
    change({ view: `own ${name}` });
  };
  return (
    <>
      <Button ref={button} popoverTarget="saved-views">
        <Opener of={open} />
      </Button>
      <div
        ref={panel}
        id="saved-views"
        popover="auto"
        className={`popover ${css.views}`}
        role="group"
        aria-label="Views"
        onBeforeToggle={({ newState }) => newState === 'open' && placeAt(panel.current, button.current)}
      >
        <View
          text="All devices"
          isOpen={open === null && !search['q'] && !search['selector']}
          onOpen={() => show(NO_VIEW)}
        />
        {own.length > 0 && <h3>Mine, in this browser</h3>}
        {own.map((view) => (
          <View
            key={view.name}
            text={view.name}
            isOpen={isAt(open, false, view.name)}
            onOpen={() => show(openOwn(view))}
          >
            <Button
              kind="quiet"
              aria-label={`Rename the view ${view.name}`}
              onClick={() => setDialog(['rename', view.name])}
            >
              Rename
            </Button>
            <IconButton
              icon="close"
              label={`Forget the view ${view.name}`}
              onClick={() => store(own.filter((one) => one !== view))}
            />
          </View>
        ))}
        <SharedViews
          names={sharedNames}
          open={open}
          onShow={(name) => show(openShared(name))}
          onRemove={(name) => setDialog(['remove', name])}
        />
        {error ? <p className="small quiet">{unreadChoices(error)}</p> : null}
        {own.length + sharedNames.length === 0 && !error && (
          <p className={`small quiet ${css.none}`}>
            No view is saved yet. A view is a filter under a name. Filter the list, then save it: for you with columns
            and order, or its selector for all operators, who can use it in rollouts and schedules, too.
          </p>
        )}
        <hr />
        {open?.isChanged && !open.isShared && (
          <Button kind="quiet" onClick={() => saveOwn(open.name)}>
            <span className="cut">Save the changes to {open.name}</span>
          </Button>
        )}
        {open?.isChanged && (
          <Button kind="quiet" onClick={() => show(addressOf(open, own))}>
            <span className="cut">Back to {open.name}</span>
          </Button>
        )}
        <Button kind="quiet" onClick={() => setDialog(['save'])}>
          Save this view …
        </Button>
      </div>
      {dialog?.[0] === 'remove' && <RemoveSelector name={dialog[1]} onClose={() => setDialog(null)} />}
      {dialog?.[0] === 'rename' && (
        <RenameView
          name={dialog[1]}
          taken={own.flatMap(({ name }) => (name === dialog[1] ? [] : [name]))}
          onClose={() => setDialog(null)}
          onRename={(name) => {
            store(own.map((view) => (view.name === dialog[1] ? { ...view, name } : view)));
            if (search['view'] === `own ${dialog[1]}`) change({ view: `own ${name}` });
          }}
        />
      )}
      {dialog?.[0] === 'save' && (
        <SaveView
          selector={search['selector']}
          taken={{ own: own.map(({ name }) => name), shared: sharedNames }}
          onClose={() => setDialog(null)}
          onOwn={saveOwn}
        />
      )}
    </>
  );
}

const isAt = (open: OpenView | null, isShared: boolean, name: string): boolean =>
  open?.isShared === isShared && open.name === name;

/** What opens a view again as it is saved. */
function addressOf({ isShared, name }: OpenView, own: readonly OwnView[]) {
  const view = own.find((one) => one.name === name);
  return isShared || !view ? openShared(name) : openOwn(view);
}

/** The text of the button: the open view, and whether it was changed. */
function Opener({ of }: { of: OpenView | null }): ReactNode {
  if (of === null) return 'Views';
  return (
    <span className={css.opener}>
      <span className="cut">View: {of.name}</span>
      {of.isChanged && <span className="small quiet">changed</span>}
    </span>
  );
}

interface SharedViewsProps {
  names: readonly string[];
  open: OpenView | null;
  onShow: (name: string) => void;
  onRemove: (name: string) => void;
}

/** Those of all operators. Roles, rollouts and schedules name them, so they have no other name later. */
function SharedViews({ names, open, onShow, onRemove }: SharedViewsProps): ReactNode {
  const mayManage = useMay('selector.manage');
  if (names.length === 0) return null;
  return (
    <>
      <h3>Shared with all operators</h3>
      {names.map((name) => (
        <View key={name} text={name} isOpen={isAt(open, true, name)} onOpen={() => onShow(name)}>
          {mayManage && (
            <IconButton
              icon="close"
              label={`Remove the view ${name} for all operators`}
              onClick={() => onRemove(name)}
            />
          )}
        </View>
      ))}
    </>
  );
}

interface ViewProps {
  text: string;
  isOpen: boolean;
  onOpen: () => void;
  /** What renames or removes it. */
  children?: ReactNode;
}

const View = ({ text, isOpen, onOpen, children }: ViewProps): ReactNode => (
  <div>
    <Button kind="quiet" aria-current={isOpen || undefined} onClick={onOpen}>
      <span className="cut">{text}</span>
    </Button>
    {children}
  </div>
);
