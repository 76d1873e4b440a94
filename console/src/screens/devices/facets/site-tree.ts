/* Sites as a tree: `lt/vilnius/lab` is within `lt/vilnius`, and that within `lt`. Pure. */

import { termOf, valueText } from '../selector-text.js';

export interface SiteNode {
  /** The whole path. */
  readonly path: string;
  /** Its last part. */
  readonly name: string;
  /** Devices of this site and those within it. */
  readonly devices: number;
  readonly within: readonly SiteNode[];
  /** The selector of these devices. */
  readonly term: string;
}

interface SiteCount {
  readonly site: string;
  readonly devices: number;
}

const NATURAL = new Intl.Collator('en', { numeric: true });

/** @param depth of the sites that are grouped now: how many parts of their path are the same */
export function siteTree(sites: readonly SiteCount[], depth = 0): readonly SiteNode[] {
  const groups = new Map<string, SiteCount[]>();
  for (const count of sites) {
    const part = count.site.split('/')[depth];
    if (part !== undefined) groups.set(part, [...(groups.get(part) ?? []), count]);
  }
  return [...groups]
    .toSorted(([one], [other]) => NATURAL.compare(one, other))
    .map(([name, inside]) => {
      const path = inside[0]!.site.split('/', depth + 1).join('/');
      return {
        path,
        name,
        devices: inside.reduce((sum, { devices }) => sum + devices, 0),
        within: siteTree(inside, depth + 1),
        term: termFor(path, inside),
      };
    });
}

/** A site alone; else what is within it, and itself where it has devices of its own. A value in quotes cannot end with `*`. */
function termFor(path: string, inside: readonly SiteCount[]): string {
  const terms = inside.map(({ site }) => termOf('site', site));
  if (terms.length === 1 && inside[0]!.site === path) return terms[0]!;
  if (valueText(path) !== path) return terms.length === 1 ? terms[0]! : `(${terms.join(' | ')})`;
  const below = `site:${path}/*`;
  return inside.some(({ site }) => site === path) ? `(${termOf('site', path)} | ${below})` : below;
}
