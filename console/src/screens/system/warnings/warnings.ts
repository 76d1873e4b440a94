import { useQuery } from '@tanstack/react-query';
import { countText, pluralText } from '../../../api/amount-text.js';
import { systemQuery } from '../../../api/queries.js';
import { useUnprotectedNames } from '../../access/accounts.js';

/** A warning about the installation itself. */
export interface InstallationWarning {
  /** Such as `root_key_without_copy`. */
  readonly code: string;
  readonly text: string;
  /** null: nobody noted it. */
  readonly since: string | null;
}

/** Not of the gateway: only who may see people knows it. */
export const UNPROTECTED = 'administrator_without_second_factor';

const NAMES_SHOWN = 5;

/** All warnings about the installation. Each screen that counts or lists them has them from here. */
export function useWarnings(): readonly InstallationWarning[] {
  const { data } = useQuery(systemQuery);
  const names = useUnprotectedNames();
  const warnings = data?.warnings ?? [];
  return names.length === 0
    ? warnings
    : [{ code: UNPROTECTED, text: unprotectedText(names), since: null }, ...warnings];
}

function unprotectedText(names: readonly string[]): string {
  const has = pluralText(names.length, 'has', 'have');
  const shown = names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN ? ' …' : '');
  return `${countText(names.length, 'administrator')} ${has} no second factor: ${shown}. A stolen password then opens everything.`;
}
