import { describe, expect, it } from 'vitest';
import { knownServices, wordsOfOption, wordsOfService } from '../../src/device-api/words/dictionary.js';
import { readable } from '../../src/device-api/words/readable.js';
import { MENUS } from '../../src/device-api/words/menu.js';
import { declarationTable } from '../../src/simulator/device/declarations/table.js';
import { BARE_LISTS } from '../../src/simulator/services/bare-lists.js';

/** By the names that the dictionary has. */
const declared = new Map(
  [...declarationTable().values()].map((one) => [
    one.kind === 'record' ? `${one.path.replace(/\/global$/, '')}/global` : one.path,
    one,
  ]),
);

describe('the dictionary of options', () => {
  it('knows no service that no device has', () => {
    const others = ['users', 'users/groups', 'events_log'];
    const unknown = knownServices().filter(
      (name) => !declared.has(name) && !BARE_LISTS.includes(name) && !others.includes(name),
    );
    expect(unknown).toEqual([]);
  });

  it('has a title for each service that can be changed, and knows only its own options and values', () => {
    for (const [name, { options }] of declared) {
      expect(knownServices()).toContain(name);
      const { options: known = {} } = wordsOfService(name);
      expect(Object.keys(known).filter((option) => !Object.hasOwn(options, option))).toEqual([]);
      for (const option of Object.keys(options)) {
        const { title, values = {} } = wordsOfOption(name, option);
        expect(title).toMatch(/^\S.*\S$|^\S$/);
        if (!Object.hasOwn(known, option)) continue;
        expect(Object.keys(values).filter((value) => !options[option]!.values?.includes(value))).toEqual([]);
      }
    }
  });

  it('names sections and sums them up by options that they have', () => {
    const unknown = [...declared].flatMap(([name, { options }]) => {
      const { called = [], summary = [] } = wordsOfService(name);
      const used = summary.flatMap((piece) => [...piece.matchAll(/\{(\w+)\}/g)].map(([, option]) => option!));
      return [...called, ...used].filter((option) => !Object.hasOwn(options, option)).map((option) => [name, option]);
    });
    expect(unknown).toEqual([]);
  });

  it('says the range of each whole number as the device has it', () => {
    const ranges = [...declared].flatMap(([name, { options }]) =>
      Object.entries(options)
        .filter(([, { type }]) => type === 'integer')
        .map(([option, { min, max }]) => ({ of: `${name} ${option}`, range: [min, max] as unknown })),
    );
    expect(ranges.length).toBeGreaterThan(20);
    const said = ranges.map(({ of }) => ({ of, range: wordsOfOption(of.split(' ')[0]!, of.split(' ')[1]!).range }));
    expect(said).toEqual(ranges);
  });

  it('says whether the device makes the id of a new section', () => {
    const given = { given: 'given', generated: 'made', either: undefined } as const;
    const lists = [...declared].filter(([, { kind, creatable }]) => kind === 'sections' && creatable);
    expect(lists.map(([name]) => [name, wordsOfService(name).id])).toEqual(
      lists.map(([name, { ids }]) => [name, given[ids]]),
    );
  });

  it('has a place in a menu for each service', () => {
    const first = new Set(MENUS.flatMap(({ groups }) => groups.flatMap(({ services }) => services)));
    const lost = [...declared.keys(), ...BARE_LISTS, ...knownServices()].filter(
      (name) => !first.has(name.split('/')[0]!),
    );
    expect(lost).toEqual([]);
  });

  it('makes names readable that it does not know', () => {
    expect(['dead_peer_delay', 'ipv4_dns', 'esim', 'my_esim_gps', 'constructor'].map((name) => readable(name))).toEqual(
      ['Dead peer delay', 'IPv4 DNS', 'eSIM', 'My eSIM GPS', 'Constructor'],
    );
    expect(wordsOfService('constructor')).toEqual({ title: 'Constructor' });
    expect(wordsOfOption('toString', 'constructor')).toEqual({ title: 'Constructor' });
  });
});
