import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useId, useState } from 'react';
import { api } from '../api/client.js';
import { setPaused } from '../api/live.js';
import { tell } from '../api/problems.js';
import { Dialog } from '../ui/dialog.js';
import { StateMark } from '../ui/mark.js';
import { ALL_SCREENS } from './navigation.js';
import { chooseTheme } from './theme.js';

interface Choice {
  readonly id: string;
  readonly title: string;
  readonly beside: ReactNode;
  /** An address below /console, or what is done. */
  readonly to: string | (() => void);
}

const ACTIONS: readonly (readonly [title: string, to: Choice['to'], words: string])[] = [
  ['Add a device', '/devices?add=one', 'register new router'],
  ['Import devices', '/devices?add=import', 'csv file'],
  ['Search networks for devices', '/devices?add=search', 'discovery discover'],
  ['Call many devices', '/fan-outs/new', 'fan-out bulk'],
  ['Plan a rollout', '/rollouts/new', 'firmware update job'],
  ['Freeze all writes', '/access?tab=locks&freeze=yes', 'lock stop'],
  ['Look at changed certificates', '/certificates?tab=trust', 'trust pin'],
  ['Look at certificates that expire', '/certificates?tab=expiring', 'reissue tls'],
  ['Verify the audit', '/audit?verify=yes', 'proof'],
  ['Export the audit', '/audit?export=yes', 'download'],
  ['Ask who may do something', '/access?tab=explain', 'rights explain why'],
  ['Issue an API key', '/access?tab=keys', 'token program'],
  ['Decide about approvals', '/access?tab=approvals', 'approve reject second person'],
  ['Look at the settings', '/system?tab=settings', 'configuration environment'],
  ['Add a webhook', '/system?tab=webhooks', 'deliveries replay'],
  ['Your account and second factor', '/access?tab=account', 'password totp'],
  ['Pause live updates', () => setPaused(true), 'stop hold'],
  ['Follow live updates', () => setPaused(false), 'resume continue'],
  ['Use the light theme', () => chooseTheme('light'), 'colour'],
  ['Use the dark theme', () => chooseTheme('dark'), 'colour night'],
  ['Use high contrast', () => chooseTheme('contrast'), 'theme colour'],
  ['Use the theme of the system', () => chooseTheme('system'), 'colour'],
];

const DEVICES_MAX = 8;

/** Opens devices, screens and actions by name: arrows choose, Enter opens. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const navigate = useNavigate();
  const { choices, error } = useChoices(text.trim());
  const open = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    if (typeof choice.to === 'function') return choice.to();
    const [to, query] = choice.to.split('?');
    void navigate({ to, search: Object.fromEntries(new URLSearchParams(query)) } as never);
  };
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && choices.length > 0) setChosen((chosen + step + choices.length) % choices.length);
    else if (event.key === 'Enter') open(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div className="dialog-body">
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-label="Device, screen or action"
          autoFocus
          aria-activedescendant={choices[chosen] ? `${list}-${chosen}` : undefined}
          placeholder="Device, screen or action"
          value={text}
          onKeyDown={pressed}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
        />
        <ul id={list} role="listbox" aria-label="Results" className="choices">
          {choices.map((choice, at) => (
            <li
              key={choice.id}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === chosen}
              onClick={() => open(choice)}
            >
              <span className="cut foreign">{choice.title}</span>
              {choice.beside}
            </li>
          ))}
        </ul>
        {error ? (
          <p className="quiet" role="status">
            Devices cannot be searched: {tell(error).title}.
          </p>
        ) : (
          choices.length === 0 && (
            <p className="quiet" role="status">
              Nothing has this name.
            </p>
          )
        )}
      </div>
    </Dialog>
  );
}

function useChoices(text: string): { choices: Choice[]; error: unknown } {
  const asked = useDeferredValue(text);
  const { data, error } = useQuery({
    queryKey: ['devices', 'palette', asked],
    queryFn: ({ signal }) => api.get('/v1/devices', { params: { query: { q: asked, limit: DEVICES_MAX } }, signal }),
    enabled: asked.length > 0,
    placeholderData: keepPreviousData,
  });
  const wanted = text.toLowerCase();
  const found = (title: string, words = '') => `${title} ${words}`.toLowerCase().includes(wanted);
  const devices = text === '' ? [] : (data?.items ?? []);
  const choices: Choice[] = [
    ...devices.map(({ id, name, state }) => ({
      id,
      title: name ?? id,
      beside: <StateMark state={state} />,
      to: `/devices/${id}`,
    })),
    ...ALL_SCREENS.filter(({ title, words }) => found(title, words)).map(({ to, title, key }) => ({
      id: to,
      title,
      to,
      beside: (
        <span>
          <kbd>g</kbd> <kbd>{key}</kbd>
        </span>
      ),
    })),
    ...ACTIONS.filter(([title, , words]) => found(title, words)).map(([title, to]) => ({
      id: title,
      title,
      to,
      beside: <span className="quiet small">action</span>,
    })),
  ];
  return { choices, error };
}
