import { readable, wordsOfService } from '../../../../src/device-api/words/dictionary.js';
import { MENUS } from '../../../../src/device-api/words/menu.js';

/* Paths of configuration and what stands there, in words. Pure. */

/** `/api/firewall/zones/config` as the dictionary names its services: `firewall/zones`. */
const serviceOf = (path: string): string => path.replace(/^\/api\//, '').replace(/\/config$/, '');

/** `/api/users/groups/config` as "Groups". */
export function shortTitle(path: string): string {
  const service = serviceOf(path);
  return wordsOfService(service).title || readable(service);
}

/** `/api/users/groups/config` as "System › Groups". */
export function pathTitle(path: string): string {
  const first = serviceOf(path).split('/')[0] ?? '';
  const menu = MENUS.find(({ groups }) => groups.some(({ services }) => services.includes(first)));
  return menu ? `${menu.title} › ${shortTitle(path)}` : shortTitle(path);
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
  error === null
    ? 'No body'
    : error === 'not_there'
      ? 'The device has no such path'
      : `Not read: ${error.replaceAll('_', ' ')}`;
