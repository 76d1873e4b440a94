import { describe, expect, it } from 'vitest';
import {
  clearOf,
  firstOf,
  MEASURES,
  partsOf,
  selectorOf,
} from '../../../../console/src/screens/monitoring/rule/conditions.js';
import { limitOf } from '../../../../console/src/screens/monitoring/alert/limit.js';
import { parseSelector } from '../../../../src/selectors/selector.js';

/* The condition of a rule by a value, a comparison and a number, as a selector. */

describe('the condition of a rule', () => {
  it.each(MEASURES.map(({ key }) => key))(
    'begins as a selector that the gateway can read, and is read again: %s',
    (key) => {
      const condition = firstOf(key);
      const selector = selectorOf({ condition, devices: 'site:riga/* | site:vilnius/*' });
      parseSelector(selector);
      expect(partsOf(selector)).toEqual({ condition, devices: '(site:riga/* | site:vilnius/*)' });
      expect(selectorOf(partsOf(selector)!)).toBe(selector);
      const clear = clearOf(selector);
      if (clear !== '') parseSelector(clear);
    },
  );

  it('ends with a margin where its value swings', () => {
    expect(['rsrp<-110', 'temperature>70 & site:riga/*', 'rsrp<-', 'backup>26h', 'all'].map(clearOf)).toEqual([
      'rsrp>-105',
      'temperature<65',
      '',
      '',
      '',
    ]);
  });

  it.each(['rsrp<-110 | state:offline', '!tag:x', 'temperature>=70', 'certificate<30d & rsrp<-110', 'backup>2w'])(
    'is edited as text where it says more: %s',
    (selector) => expect(partsOf(selector)).toBeNull(),
  );

  it.each([
    ['rsrp<-110 & site:riga/*', -110],
    ['data.month>1.5GB', 1.5e9],
    ['data.plan>80', undefined],
    ['state:offline', undefined],
    ['rsrp<-110 | sinr<0', undefined],
    [null, undefined],
  ])('has a line in the chart of its value: %s at %s', (selector, limit) => expect(limitOf(selector)).toBe(limit));
});
