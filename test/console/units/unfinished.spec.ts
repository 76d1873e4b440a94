import { describe, expect, it } from 'vitest';
import { isUnfinished } from '../../../console/src/screens/devices/filter/unfinished.js';

describe('a selector that is being typed', () => {
  it.each([
    't',
    'tag',
    'tag:',
    'tag: ',
    'tag:pump &',
    'tag:pump & ',
    'tag:pump & si',
    'tag:pump | site=',
    '!',
    '!tag',
    '(tag:pump',
    '@',
    'name:"a',
    'name:"a \\"',
    'firmware<',
    'firmware<=',
    'site!=',
    '(tag:pump) & (site:a',
    'al',
  ])('%j needs more', (text) => expect(isUnfinished(text)).toBe(true));

  it.each([
    '',
    ' ',
    'tag:p',
    'tag:pump',
    'all',
    '@north',
    'tag:pump & site:vilnius/*',
    'firmware<7.14',
    '!(tag:a | tag:b)',
    'site != a',
    'name:"a & (b"',
    'name="a \\" b"',
    'tag:pump ',
    'nonsense:1',
    'tag:a))',
    'rsrp<-110',
    'data.month>500MB',
  ])('%j can be judged by the gateway', (text) => expect(isUnfinished(text)).toBe(false));
});
