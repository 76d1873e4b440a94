import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { selfQuery } from '../../api/queries.js';
import { ALL_SCREENS, mayOpen } from '../navigation.js';
import { ACTIONS, actionsOfPage } from './actions.js';
import { choice, type Choice, section, type Section } from './choice.js';
import { useActs, useDevices } from './found-devices.js';
import { usePeople, useRecurring, useRollouts, useRules, useSites, useTemplates } from './found-names.js';
import { scoreOf } from './ranking.js';
import { recentsOf } from './recents.js';

/* What the palette offers for a text: sections in the order of their best choice, and within each the best first. */

/** @param text as it is typed; with `>` before it, actions alone */
export function useSections(text: string): { sections: readonly Section[]; error: unknown } {
  const isActions = text.startsWith('>');
  const typed = (isActions ? text.slice(1) : text).trim();
  const asked = useDeferredValue(isActions ? '' : typed);
  const { data: self } = useQuery(selfQuery);
  const permissions = self?.permissions ?? [];
  const { choices: devices, error } = useDevices(asked);
  const acts = useActs(useDeferredValue(typed), permissions);
  const sites = useSites(asked);
  const rollouts = useRollouts(asked);
  const recurring = useRecurring(asked);
  const rules = useRules(asked);
  const templates = useTemplates(asked);
  const people = usePeople(asked);
  const [onPage] = useState(actionsOfPage); // the palette covers the screen that it was opened on
  const recents = typed === '' && !isActions && self ? recentsOf(self.operatorId).filter(({ to }) => !isHere(to)) : [];
  const found = [
    section('With a device', acts),
    section(
      'On this screen',
      onPage.map(([title, to]) => choice(`page ${title}`, title, to, scoreOf(typed, title))),
    ),
    section(
      'Recent',
      recents.map(({ title, to }) => choice(`recent ${to}`, title, to, 1, undefined, [kindOf(to)])),
    ),
    ...(isActions
      ? []
      : [
          section('Devices', devices, `/devices?${new URLSearchParams({ q: typed }).toString()}`),
          section('Sites', sites, `/devices?${new URLSearchParams({ q: typed }).toString()}`),
          section('Rollouts', rollouts, `/rollouts?${new URLSearchParams({ name: typed }).toString()}`),
          section('Schedules and policies', recurring, '/schedules'),
          section('Alerts', rules, '/monitoring?tab=rules'),
          section('Templates', templates, '/templates'),
          section('People', people, '/access?tab=people'),
          section('Screens', screens(typed, permissions)),
        ]),
    section(
      'Actions',
      ACTIONS.filter(([, , , needs]) => needs === undefined || permissions.includes(needs)).map(([title, to, words]) =>
        choice(title, title, to, scoreOf(typed, title, words)),
      ),
    ),
  ];
  const best = ({ choices }: Section) => choices[0]?.score ?? 0;
  return { sections: found.filter((one) => best(one) > 0).toSorted((one, other) => best(other) - best(one)), error };
}

/** @param to an address below /console */
const isHere = (to: string): boolean => location.pathname.endsWith(`/console${to}`);

/** What an address that was opened lately shows. */
function kindOf(to: string): string {
  if (/^\/devices\/[^?]/.test(to)) return 'Device';
  if (/^\/rollouts\/[^?]/.test(to)) return 'Rollout';
  if (/^\/templates\/[^?]/.test(to)) return 'Template';
  if (/^\/access\/people\/[^?]/.test(to)) return 'Person';
  if (to.startsWith('/schedules?schedule=')) return 'Schedule';
  if (/[?&]policy=/.test(to)) return 'Backup policy';
  if (to.startsWith('/monitoring?rule=')) return 'Alerts of this rule';
  if (/[?&](add|make)=/.test(to)) return 'Action';
  return to.startsWith('/devices?') ? 'Devices that match' : 'Screen';
}

function screens(typed: string, permissions: readonly string[]): Choice[] {
  return ALL_SCREENS.filter((screen) => mayOpen(screen, permissions)).map(({ to, title, key, words }) =>
    choice(
      to,
      title,
      to,
      scoreOf(typed, title, words),
      <span>
        <kbd>g</kbd> <kbd>{key}</kbd>
      </span>,
    ),
  );
}
