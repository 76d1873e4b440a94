import { firmwareParts } from '../../../api/device-texts.js';
import { termOf } from '../selector-text.js';
import { type Value } from './in-place.js';

/* The values of a field as the rows of its facet. Pure. */

export interface FacetValue extends Value {
  /** The devices of the row, as a term of a selector. */
  readonly term: string;
}

/** A row for each value; of firmware a row for each version, with the names that it has for all families of devices. */
export function facetValues(by: string, values: readonly Value[]): readonly FacetValue[] {
  if (by !== 'firmware') return values.map((one) => ({ ...one, term: termOf(by, one.value) }));
  const versions = new Map<string, Value[]>();
  for (const one of values) {
    const { version } = firmwareParts(one.value);
    versions.set(version, [...(versions.get(version) ?? []), one]);
  }
  return [...versions]
    .map(([version, own]) => ({
      value: version,
      devices: own.reduce((sum, { devices }) => sum + devices, 0),
      term: anyOf(own.map(({ value }) => termOf(by, value)).toSorted()),
    }))
    .toSorted((one, other) => other.devices - one.devices);
}

const anyOf = (terms: readonly string[]): string => (terms.length === 1 ? terms[0]! : `(${terms.join(' | ')})`);
