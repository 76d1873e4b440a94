import { PERMISSIONS, permissionText } from '../../../../src/api-client/permission-words.js';
import { numberText } from '../../api/amount-text.js';
import { sentence } from '../../api/device-texts.js';

/* The permissions of the gateway for choices of them. */

type Nouns = readonly (readonly [noun: string, permissions: readonly (readonly [name: string, to: string])[]])[];

/** The noun of the permissions about the own account: each person has them, and no role gives them. */
const OWN = 'self';

export const isOfRoles = (permission: string): boolean => nounOf(permission) !== OWN;

/** The permissions by their nouns, without those about the own account. */
export const PERMISSION_NOUNS: Nouns = [...new Set(Object.keys(PERMISSIONS).map(nounOf))]
  .filter((noun) => noun !== OWN)
  .map((noun) => [noun, Object.entries(PERMISSIONS).filter(([name]) => nounOf(name) === noun)]);

/** Every permission that a role can give. */
export const ALL_PERMISSIONS: readonly string[] = PERMISSION_NOUNS.flatMap(([, permissions]) =>
  permissions.map(([name]) => name),
);

/** All permissions to see, without the secrets of devices. */
export const READ_PERMISSIONS: readonly string[] = Object.keys(PERMISSIONS).filter(
  (name) => name.endsWith('.read') || name === 'device.call_read',
);

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** Pairs for a choice of one permission. */
export const PERMISSION_OPTIONS = PERMISSION_NOUNS.flatMap(([, permissions]) =>
  permissions.map(([name, to]) => [name, to.charAt(0).toUpperCase() + to.slice(1)] as const),
);

/** A permission of a rule in words, which may be a pattern: `everything`, `all of jobs`, `start jobs`. */
export function permissionWords(pattern: string): string {
  if (pattern === '*') return 'everything';
  if (pattern.endsWith('.*')) return `all about ${nounWords(pattern.slice(0, -2))}`;
  return permissionText(pattern) ?? pattern;
}

/** How many permissions of a rule are said by name. */
const SAID = 3;

/** `See devices, start jobs and 4 more`, of the permissions of a rule. */
export function permissionsWords(patterns: readonly string[]): string {
  if (patterns.length === 0) return 'No permission yet';
  const said = patterns.slice(0, SAID).map(permissionWords);
  const more = patterns.length - said.length;
  return sentence(more > 0 ? `${said.join(', ')} and ${numberText(more)} more` : said.join(', '));
}

/** `Sealed values`. */
export const nounTitle = (noun: string): string => sentence(nounWords(noun));

/** `sealed values`. */
const nounWords = (noun: string): string => PLURALS[noun] ?? `${noun.replaceAll('_', ' ').replace(/s$/, '')}s`;

const PLURALS: Readonly<Record<string, string>> = {
  audit: 'the audit',
  discovery: 'searches of networks',
  monitoring: 'monitoring',
  observed: 'what routers have',
  rights: 'rights',
  self: 'the own account',
  system: 'the system',
};
