import { placeOfService, wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { MENUS, type MenuPart } from '../../../../src/device-api/words/menu.js';
import { isNested, type Service } from './services.js';

/* The services of a device in the order of a router's own menus. Pure. */

export interface Entry {
  readonly title: string;
  readonly service: Service;
  /** It shows a part of the service alone. */
  readonly part: string | null;
}

export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface EntryMenu {
  readonly title: string;
  readonly groups: readonly EntryGroup[];
}

/** What the dictionary has no place for. */
const OTHERS = { menu: 'Services', group: 'Others' } as const;

/** @param services those to show */
export function menusOf(services: readonly Service[]): readonly EntryMenu[] {
  const shown = services.filter((service) => !isNested(service));
  const known = new Set<Service>();
  const groupOf = (names: readonly string[]) => {
    const found = shown.filter(({ name }) => names.includes(name.split('/')[0] ?? name));
    for (const service of found) known.add(service);
    return found.toSorted((one, other) => orderOf(names, one) - orderOf(names, other));
  };
  const menus = MENUS.map(({ title, groups }) => ({
    title,
    groups: groups.map((one) => ({
      title: one.title,
      entries: groupOf(one.services).flatMap((service) => entriesOf(service, one.parts ?? [])),
    })),
  }));
  const others = shown.filter((service) => !known.has(service)).flatMap((service) => entriesOf(service, []));
  return menus
    .map(({ title, groups }) => ({
      title,
      groups: [...groups, { title: OTHERS.group, entries: title === OTHERS.menu ? others : [] }].filter(
        ({ entries }) => entries.length > 0,
      ),
    }))
    .filter(({ groups }) => groups.length > 0);
}

/** The dictionary's order, and beside it that of the beginnings of names. */
const orderOf = (names: readonly string[], { name }: Service): number =>
  names.indexOf(name.split('/')[0] ?? name) + placeOfService(name) * names.length;

const entriesOf = (service: Service, parts: readonly MenuPart[]): Entry[] => [
  { title: service.words.title, service, part: null },
  ...parts.filter((part) => part.service === service.name).map(({ title }) => ({ title, service, part: title })),
];

/** The part of a service with this title. */
export const partOf = (title: string | undefined): MenuPart | undefined =>
  MENUS.flatMap(({ groups }) => groups.flatMap(({ parts = [] }) => parts)).find((part) => part.title === title);

/** The menu and the group above a service, for its head. */
export function wayTo(service: Service): readonly string[] {
  const first = service.name.split('/')[0] ?? service.name;
  for (const { title, groups } of MENUS) {
    const group = groups.find(({ services }) => services.includes(first));
    if (group) return [title, group.title];
  }
  return [OTHERS.menu, OTHERS.group];
}

/** Whether a service has all these words: in its names, its help, or the names of its options. */
export function hasWords({ name, words, options }: Service, wanted: readonly string[]): boolean {
  const names = options.map((option) => `${option.name} ${wordsOfOption(name, option.name).title}`);
  const all = [name, words.title, words.help, ...names].join(' ').toLowerCase();
  return wanted.every((word) => all.includes(word));
}
