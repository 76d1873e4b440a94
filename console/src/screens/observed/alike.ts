import { type components } from '../../../../src/api-client/api-client.js';
import { countText, numberText } from '../../api/amount-text.js';
import { isOption } from './value-words.js';

/* How alike the routers are at one path. Pure. */

type Schemas = components['schemas'];
export type Groups = Schemas['ObservedGroups'];
export type Group = Groups['groups'][number];

/** A group as a selector; null where it has no body, so that no selector names it. */
export const selectorOf = (path: string, { digest }: Pick<Group, 'digest'>): string | null =>
  digest === null ? null : `observed:${path}/${digest}`;

/** `4,812 the same, 188 in 7 other groups, 12 not read`. */
export function alikeText({ groups, devices, moreGroups, unread }: Groups): string {
  const notRead = unread > 0 ? `, ${numberText(unread)} not read` : '';
  const largest = groups[0];
  if (!largest) return `${countText(unread, 'device')} not read so far`;
  const others = groups.length - 1 + moreGroups;
  const rest = devices - largest.devices;
  if (rest === 0) return `All ${countText(devices, 'device')} the same${notRead}`;
  const kinds = others === 1 ? 'different' : `in ${countText(others, 'other group')}`;
  return `${numberText(largest.devices)} the same, ${numberText(rest)} ${kinds}${notRead}`;
}

/** Names of the options of some rows, the most frequent first. */
export function optionsOf(rows: readonly { readonly options: Readonly<Record<string, unknown>> }[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { options } of rows)
    for (const name of Object.keys(options)) if (isOption(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
}
