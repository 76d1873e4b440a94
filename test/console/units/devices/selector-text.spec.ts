import { describe, expect, it } from 'vitest';
import { namesEach, selectorOfIds } from '../../../../console/src/screens/devices/choice-selector.js';
import { completions } from '../../../../console/src/screens/devices/completions.js';
import {
  chosenOf,
  hasTerm,
  leavesOut,
  termOf,
  valueOf,
  withoutField,
  withoutTerm,
  withTerm,
} from '../../../../console/src/screens/devices/selector-text.js';
import { spansOf } from '../../../../console/src/screens/device/state-spans.js';

/* Texts and figures that screens make without a browser. */

it.each([
  [selectorOfIds(['0190-a']), true],
  [selectorOfIds(['0190-a', '0190-b']), true],
  ['id=0190-a', true],
  ['all', false],
  ['tag:pump', false],
  ['id:0190-a | tag:pump', false],
  ['(all) & !id:0190-a', false],
])('reads of %j whether it names each of its devices: %j', (selector, wanted) => {
  expect(namesEach(selector)).toBe(wanted);
});

describe('a click on a facet', () => {
  it.each([
    ['', 'site=a', 'site=a'],
    ['tag:pump', 'site=a', 'tag:pump & site=a'],
    ['tag:pump & site=a', 'site=a', 'tag:pump'],
    ['tag:pump & site=a', 'tag=pump', 'site=a'],
    ['tag:pump*', 'tag=pump*', '(tag:pump* | tag=pump*)'],
    ['state=offline', 'state=new', '(state=offline | state=new)'],
    ['state:offline | state:new', 'state=online', '(state:offline | state:new | state=online)'],
    ['(state=offline | state=new) & tag=a', 'state=new', 'state=offline & tag=a'],
    ['site=a', '(site=b | site:b/*)', '(site=a | site=b | site:b/*)'],
    ['(site=a | site=b | site:b/*)', '(site=b | site:b/*)', 'site=a'],
    ['tag=a & tag=b', 'tag=c', 'tag=a & tag=b & tag=c'],
    ['!tag=a & site=b', 'tag=a', 'site=b & tag=a'],
    ['a:b&c:d', 'site=a', 'a:b & c:d & site=a'],
    ['state=offline | state=new', 'site=a', '(state=offline | state=new) & site=a'],
    ['(a:b | c:d) & site=a', 'site=a', '(a:b | c:d)'],
    ['name:"a | b"', 'site=a', 'name:"a | b" & site=a'],
    ['operator="a & b" & tag:x', 'operator="a & b"', 'tag:x'],
    ['name:"a \\" | b"', 'site=a', 'name:"a \\" | b" & site=a'],
  ])('changes %j by %j to %j', (selector, term, wanted) => {
    expect(withTerm(selector, term)).toBe(wanted);
  });

  it('is shown as pressed where the term is one of the alternatives that the whole selector needs', () => {
    expect(hasTerm('site=a & tag:b', 'tag=b')).toBe(true);
    expect(hasTerm('state:offline | state:trust_changed', 'state=trust_changed')).toBe(true);
    expect(hasTerm('site=a | tag:b & site=c', 'site=a')).toBe(false);
    expect(hasTerm('!(site=a | site=b)', 'site=a')).toBe(false);
    expect(hasTerm('(site=b | site:b/*)', '(site=b | site:b/*)')).toBe(true);
    expect(termOf('site', 'a "b" \\')).toBe('site="a \\"b\\" \\\\"');
  });
});

describe('the button that leaves a value out', () => {
  it.each([
    ['', 'tag=a', '!tag=a'],
    ['!tag=a', 'tag=a', ''],
    ['(tag=a | tag=b) & site=c', 'tag=a', 'tag=b & site=c & !tag=a'],
    ['site=c', '(site=b | site:b/*)', 'site=c & !(site=b | site:b/*)'],
    ['!(site=b | site:b/*)', 'site=b', ''],
  ])('changes %j by %j to %j', (selector, term, wanted) => {
    expect(withoutTerm(selector, term)).toBe(wanted);
    expect(leavesOut(wanted, term)).toBe(wanted.includes('!'));
  });
});

describe('the counts of a field', () => {
  it('are asked without what the selector says of it', () => {
    expect(withoutField('(tag=a | tag=b) & site=c & !tag=d', 'tag')).toBe('site=c');
    expect(withoutField('tag=a | site=c', 'tag')).toBe('(tag=a | site=c)');
    expect(withoutField('name:"a & b" & tag:x', 'tag')).toBe('name:"a & b"');
    expect(chosenOf('(tag=a | tag:b*) & site=c', 'tag').map(valueOf)).toEqual(['a', null]);
    expect(valueOf(termOf('site', 'a "b" \\'))).toBe('a "b" \\');
  });
});

describe('the completion of a selector', () => {
  const known = {
    keys: ['rack'],
    saved: ['pumps'],
    values: { tag: ['pump', 'pump station'], site: ['vilnius/plant-1'] },
  };
  const texts = (text: string) => completions(text, known).map((one) => one.text);

  it.each([
    ['tag:p', ['tag:pump', 'tag:"pump station"'.replace('"pump', '"pump')]],
    ['state:off', ['state:offline']],
    ['tag:pump & site:vil', ['tag:pump & site:vilnius/plant-1']],
    ['!(@', ['!(@pumps']],
    ['field.r', ['field.rack:']],
    ['state=trust', ['state=trust_changed']],
  ])('of %j is %j', (text, wanted) => {
    expect(texts(text)).toEqual(wanted.filter((one) => one.toLowerCase().startsWith(text.toLowerCase())));
  });

  it('offers nothing for a word that is complete', () => {
    expect(texts('state:online')).toEqual([]);
  });
});

describe('the states of a device over time', () => {
  const observation = (at: number, before: string, after: string, field: 'state' | 'firmware' = 'state') => ({
    at: new Date(at).toISOString(),
    field,
    before,
    after,
  });
  const newestFirst = [
    observation(90, 'offline', 'online'),
    observation(80, '7.1', '7.2', 'firmware'),
    observation(70, 'online', 'offline'),
    observation(20, 'new', 'online'),
  ];
  const range = { state: 'online', from: 50, to: 100, isCut: false } as const;

  it('are those of the range, without a gap', () => {
    expect(spansOf(newestFirst, range)).toEqual([
      { state: 'online', from: 50, ms: 20 },
      { state: 'offline', from: 70, ms: 20 },
      { state: 'online', from: 90, ms: 10 },
    ]);
  });

  it('are those since the oldest known observation where not all were read', () => {
    expect(spansOf(newestFirst.slice(0, 3), { ...range, isCut: true })[0]).toEqual({
      state: 'offline',
      from: 70,
      ms: 20,
    });
    expect(spansOf([], range)).toEqual([{ state: 'online', from: 50, ms: 50 }]);
  });
});
