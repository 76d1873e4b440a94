import { failureText } from '../../ui/words/failure-text.js';
import { wordsOfOption, wordsOfService } from '../../../../src/device-api/words/dictionary.js';
import { readable } from '../../../../src/device-api/words/readable.js';
import { interfaceTitle } from '../../../../src/device-api/words/section-words.js';
import { MENUS } from '../../../../src/device-api/words/menu.js';

/* Paths of configuration and what stands there, in words. Pure. */

/** `/api/firewall/zones/config` as the dictionary names its services: `firewall/zones`. */
const serviceOf = (path: string): string => path.replace(/^\/api\//, '').replace(/\/config$/, '');

/** `/api/users/groups/config` as "Groups". */
export function shortTitle(path: string): string {
  const service = serviceOf(path);
  return wordsOfService(service).title || readable(service);
}

const firstOf = (path: string): string => serviceOf(path).split('/')[0] ?? '';

/** `/api/users/groups/config` as "System › Groups". */
export function pathTitle(path: string): string {
  const first = firstOf(path);
  const menu = MENUS.find(({ groups }) => groups.some(({ services }) => services.includes(first)));
  return menu ? `${menu.title} › ${shortTitle(path)}` : shortTitle(path);
}

/** Where a path belongs in the menus, such as “Services › NTP”; null: in none of them. */
export function menuPlace(path: string): string | null {
  const first = firstOf(path);
  for (const { title, groups } of MENUS) {
    const group = groups.find(({ services }) => services.includes(first));
    if (group) return group.title === title ? title : `${title} › ${group.title}`;
  }
  return null;
}

/** The group of the menu alone, such as “Firewall”. */
export const menuGroup = (path: string): string => menuPlace(path)?.split(' › ').at(-1) ?? 'Others';

/** A path by its short title where no other one of these has it, else with the part of the menu. */
export const titleAmong = (path: string, paths: readonly string[]): string =>
  paths.some((other) => other !== path && shortTitle(other) === shortTitle(path)) ? pathTitle(path) : shortTitle(path);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What one section of a list is, such as "Server"; of other paths a section. */
export function sectionTitle(service: string): string {
  return capital(wordsOfService(service).one ?? 'section');
}

/** One section of a list, such as "Server 1". @param name what tells it apart; empty: the path has one section */
export function sectionNoun(service: string, name: string): string {
  const { one } = wordsOfService(service);
  if (name === '') return '';
  const known = one === 'interface' || one === 'uplink' ? interfaceTitle(name) : null;
  if (known) return known;
  if (one) return `${capital(one)} ${name}`;
  return /^\d+$/.test(name) ? `Entry ${name}` : name;
}

/**
 * A setting as a person finds it: "Time › Server 1 › Host name". What the group of the menu and the section say is not said again by
 * the title of the service.
 * @param name what tells the section apart; empty: the path has one section
 * @param option null: the section itself
 */
export function settingTitle(path: string, name: string, option: string | null = null): string {
  const service = serviceOf(path);
  const title = shortTitle(path);
  const first = firstOf(path);
  const group = MENUS.flatMap(({ groups }) => groups).find(({ services }) => services.includes(first))?.title ?? '';
  const many = `${wordsOfService(service).one ?? ''}s`;
  const isSaid = name !== '' && [many, `${group} ${many}`].some((one) => one.toLowerCase() === title.toLowerCase());
  const isDouble = !isSaid && title.startsWith(group);
  return [
    isDouble ? '' : group,
    isSaid ? '' : title,
    sectionNoun(service, name),
    option === null ? '' : wordsOfOption(service, option).title,
  ]
    .filter(Boolean)
    .join(' › ');
}

/** Such as `firewall/zones`, for the words of options. */
export const serviceName = serviceOf;

/** The value of an option as a person reads it. @param value undefined: the option is not there */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (Array.isArray(value)) return value.map(shownValue).join(', ') || '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Why a pass has no body. @param error a code of the error table, or `not_there` */
export const missingText = (error: string | null): string =>
  error === null ? 'No body' : error === 'not_there' ? failureText(error) : `Not read: ${failureText(error)}`;
