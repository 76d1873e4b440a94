import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { modelText } from '../../api/device-texts.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery, selfQuery, summaryQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { StateMark } from '../../ui/mark.js';
import { ALL_SCREENS, mayOpen } from '../navigation.js';
import { ACTIONS, actionsOfPage, type Target } from './actions.js';
import { actIn } from './device-acts.js';
import { scoreOf } from './ranking.js';
import { recentsOf } from './recents.js';

/* What the palette offers for a text: sections in the order of their best choice, and within each the best first. */

export interface Choice {
  readonly id: string;
  readonly title: string;
  /** What it is, where its title and its section do not say it: kind, site, address. */
  readonly about?: string;
  readonly beside?: ReactNode;
  readonly to: Target;
  /** 0: the way to all of a section, which is not remembered. */
  readonly score: number;
}

export interface Section {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Choices of one section. */
const SHOWN_MAX = 7;

/** Of equal matches those that answer come first. */
const ONLINE = 0.5;

/** Devices that a search is asked for; the best of them are shown. */
const DEVICES_MAX = 50;

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

const choice = (
  id: string,
  title: string,
  to: Target,
  score: number,
  beside?: ReactNode,
  about: readonly (string | null | undefined)[] = [],
): Choice => ({
  id,
  title,
  to,
  score,
  beside,
  about: about.filter(Boolean).join(' · '),
});

/** @param list where all of them are @returns the section with its best choices, and the way to the others */
function section(title: string, all: readonly Choice[], list?: string): Section {
  const choices = all.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  if (title === 'Screens' || title === 'Actions') return { title, choices };
  const more = choices.length - SHOWN_MAX;
  const rest = list && more > 0 ? [choice(`more ${title}`, moreText(more, choices.length), list, 0)] : [];
  return { title, choices: [...choices.slice(0, SHOWN_MAX), ...rest] };
}

/** A search has no more than so many answers: then there may be more than it says. */
const moreText = (more: number, of: number): string =>
  of >= DEVICES_MAX ? 'All that match' : `${numberText(more)} more`;

/** @param to an address below /console */
const isHere = (to: string): boolean => location.pathname.endsWith(`/console${to}`);

/** What an address that was opened lately shows. */
function kindOf(to: string): string {
  if (/^\/devices\/[^?]/.test(to)) return 'Device';
  if (/^\/rollouts\/[^?]/.test(to)) return 'Rollout';
  if (/^\/templates\/[^?]/.test(to)) return 'Template';
  if (/^\/access\/people\/[^?]/.test(to)) return 'Person';
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

/** Devices by name, serial number, MAC or address. What the search found matches, whatever it found it by. */
function useDevices(asked: string): { choices: readonly Choice[]; error: unknown } {
  const may = useMay('device.read');
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: KEYS.devices.palette(asked),
    queryFn: ({ signal }) => {
      const fields = 'id,name,state,model,site,serial,mac,baseUrl';
      return api.get('/v1/devices', { params: { query: { q: asked, limit: DEVICES_MAX, fields } }, signal });
    },
    enabled: may && asked.length > 0,
    placeholderData: keepPreviousData,
  });
  const items = asked === '' ? [] : (data?.items ?? []);
  const choices = items.map(({ id, name = id, state, model, site, serial, mac, baseUrl }) => {
    const address = baseUrl?.slice(baseUrl.indexOf('//') + 2);
    const others = [serial, mac, address];
    // What it was found by is said, too.
    const found = [serial, mac].find((text) => scoreOf(asked, text ?? '') > 0);
    const own = Math.max(scoreOf(asked, name), ...others.map((text) => scoreOf(asked, text ?? '') / 2));
    // Those of the text before stay only where they match this one, too: Enter must not open another device.
    const match = isPlaceholderData ? own : Math.max(own, 1);
    const score = match > 0 && state === 'online' ? match + ONLINE : match;
    return choice(id, name, `/devices/${id}`, score, state && <StateMark state={state} />, [
      model ? modelText(model) : 'Device',
      site,
      address,
      found,
    ]);
  });
  return { choices: choices.toSorted((one, other) => one.title.localeCompare(other.title)), error };
}

/** What `restart pump-1` asks for, on each device that is found by the rest. */
function useActs(typed: string, permissions: readonly string[]): readonly Choice[] {
  const asked = actIn(typed, permissions);
  const { choices } = useDevices(asked?.device ?? '');
  if (!asked) return [];
  const { verb, query } = asked.act;
  return choices.map((device) => ({
    ...device,
    id: `act ${device.id}`,
    title: `${verb} ${device.title}`,
    to: `/devices/${device.id}?${query}`,
  }));
}

function useSites(asked: string): readonly Choice[] {
  const may = useMay('device.read');
  const { data } = useQuery({ ...summaryQuery({ by: 'site' }), enabled: may && asked.length > 0, staleTime: 60_000 });
  return (data?.groups[0]?.values ?? []).flatMap(({ value, devices }) =>
    value && asked
      ? choice(
          `site ${value}`,
          value,
          `/devices?${new URLSearchParams({ selector: `site="${value.replaceAll(/["\\]/g, '\\$&')}"` }).toString()}`,
          scoreOf(asked, value),
          <span className="quiet small">{countText(devices, 'device')}</span>,
          ['Site'],
        )
      : [],
  );
}

function useRollouts(asked: string): readonly Choice[] {
  const may = useMay('rollout.read');
  const { data } = useQuery({
    queryKey: KEYS.rollouts.palette,
    queryFn: ({ signal }) => api.get('/v1/rollouts', { params: { query: { limit: 100 } }, signal }),
    enabled: may && asked.length > 0,
    staleTime: 30_000,
  });
  if (asked === '') return [];
  return (data?.items ?? []).map(({ id, name, state, selector }) =>
    choice(id, name, `/rollouts/${id}`, scoreOf(asked, name), <StateMark state={state} />, ['Rollout', selector]),
  );
}

function usePeople(asked: string): readonly Choice[] {
  const may = useMay('operator.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: may && asked.length > 0, staleTime: 60_000 });
  if (asked === '') return [];
  return (data?.items ?? []).map(({ id, name, roles }) =>
    choice(id, name, `/access/people/${id}`, scoreOf(asked, name), undefined, [
      'Person',
      roles.map(({ role }) => role).join(', '),
    ]),
  );
}
