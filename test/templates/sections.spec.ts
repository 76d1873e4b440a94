import { describe, expect, it } from 'vitest';
import { canonicalBody, differencesOf, namesOfDifferences, sectionsOf } from '../../src/templates/observed/sections.js';

const names = (one: unknown, other: unknown) => namesOfDifferences(differencesOf(one, other));

describe('the sections of a body', () => {
  it('are the items of a list, by their id', () => {
    expect(sectionsOf([{ id: 'lan', proto: 'static' }, { proto: 'dhcp' }])).toEqual([
      { key: 'lan', options: { id: 'lan', proto: 'static' } },
      { key: '#2', options: { proto: 'dhcp' } },
    ]);
  });

  it('are one without a name, or the items of several lists', () => {
    expect(sectionsOf({ enabled: '1' })).toEqual([{ key: '', options: { enabled: '1' } }]);
    expect(sectionsOf({ generated: [{ fullname: 'ca.cert.pem' }], generating: [] })).toEqual([
      { key: 'generated/ca.cert.pem', options: { fullname: 'ca.cert.pem' } },
    ]);
    expect(sectionsOf(null)).toEqual([{ key: '', options: { value: null } }]);
    expect(sectionsOf([])).toEqual([]);
  });

  it('stay apart when two have one id', () => {
    expect(sectionsOf([{ id: '1' }, { id: '1' }]).map(({ key }) => key)).toEqual(['1', '1#2']);
  });
});

describe('what differs', () => {
  it('is named by section and option, never by value', () => {
    const before = [{ id: 'lan', proto: 'static', dns: ['1.1.1.1'] }, { id: 'wan' }];
    expect(names(before, [{ id: 'lan', proto: 'dhcp', dns: ['1.1.1.1'] }, { id: 'wan2' }])).toEqual([
      'lan.proto',
      'wan',
      'wan2',
    ]);
    expect(names({ enabled: '1' }, { enabled: '0', port: '22' })).toEqual(['enabled', 'port']);
    expect(names('x', [])).toEqual(['all']);
  });

  it('is nothing where only the order of names differs', () => {
    expect(canonicalBody({ b: 1, a: { d: 1, c: [2, 1] } })).toBe('{"a":{"c":[2,1],"d":1},"b":1}');
    expect(names({ b: 1, a: 2 }, { a: 2, b: 1 })).toEqual([]);
    expect(canonicalBody({})).toBe(canonicalBody([]));
  });

  it('has names that a row can hold, and not more than a hundred', () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`option-${at}`, at]));
    expect(names({}, wide)).toHaveLength(100);
    expect(names({}, { ['a\0b'.repeat(100)]: 1 })[0]).toMatch(/^a ba b.{114}$/);
    expect(names({}, { [`${'a'.repeat(119)}😀`]: 1 })).toEqual([`${'a'.repeat(119)}\uFFFD`]);
  });
});
