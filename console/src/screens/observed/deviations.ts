import { type components } from '../../../../src/api-client/api-client.js';
import { isOption } from './value-words.js';

/* Sections of devices against those that most devices have. Pure. */

type Row = components['schemas']['ObservedSection'];

export interface DeviatingRow extends Row {
  /** Most devices have no such section; this one lacks it; or it has other values. */
  readonly kind: 'only here' | 'missing' | 'different';
  /** Options with another value than most have. */
  readonly odd: readonly string[];
}

const ORDER = ['only here', 'missing', 'different'] as const;

/** What differs from `most`: what exists on one device alone comes first. Sections as most have them are left out. */
export function deviationsOf(rows: readonly Row[], most: readonly Row[]): readonly DeviatingRow[] {
  const usual = new Map(most.map((row) => [row.section, row]));
  const found = rows.flatMap((row): DeviatingRow[] => {
    const other = usual.get(row.section);
    if (!other) return [{ ...row, kind: 'only here', odd: [] }];
    const odd = oddOptions(row, other);
    return odd.length > 0 ? [{ ...row, kind: 'different', odd }] : [];
  });
  return [...found, ...missingOf(rows, most)].toSorted(
    (one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
  );
}

function oddOptions({ options }: Row, usual: Row): string[] {
  const names = [...new Set([...Object.keys(options), ...Object.keys(usual.options)])].filter(isOption);
  return names.filter((name) => JSON.stringify(options[name]) !== JSON.stringify(usual.options[name]));
}

/** Pages hold whole devices, so what is not among their rows is not on them. */
function missingOf(rows: readonly Row[], most: readonly Row[]): DeviatingRow[] {
  const devices = new Map(rows.map((row) => [row.deviceId, row]));
  const known = new Set(rows.map(({ deviceId, section }) => `${deviceId} ${section}`));
  return [...devices.values()].flatMap((device) =>
    most
      .filter(({ section }) => !known.has(`${device.deviceId} ${section}`))
      .map(({ section, options }) => ({ ...device, section, options, kind: 'missing' as const, odd: [] })),
  );
}
