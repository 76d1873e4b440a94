import { expect, it } from 'vitest';
import { namesText, reachText } from '../../../../console/src/screens/access/approving/act-words.js';
import { openWords } from '../../../../console/src/screens/monitoring/shown/alert-counts.js';
import {
  answeringSelector,
  perDeviceText,
  shareText,
} from '../../../../console/src/screens/monitoring/shown/collection-figures.js';
import { selectorWords } from '../../../../console/src/screens/monitoring/shown/selector-words.js';
import {
  fullText,
  growthText,
  isDiskShort,
  latencyText,
  rateText,
} from '../../../../console/src/screens/system/disk-words.js';
import { SHIPPED_RULES } from '../../../../src/monitoring/alerts/shipped-rules.js';

/* What figures and rules of the console say, without a browser. */

it.each([
  ['state:credentials_refused', '<credentials_refused>'],
  ['certificate<30d', 'Certificate ends within 30 days'],
  ['backup>26h', 'Newest backup older than 26 hours'],
  ['sample>1h', 'No sample for 1 hour'],
  ['rsrp<-110', 'Signal (RSRP) below −110 dBm'],
  ['tag:pump & state:offline', null],
])('the selector %s is “%s”', (selector, words) => expect(selectorWords(selector, (name) => `<${name}>`)).toBe(words));

it('has words for each rule that is there from the start', () => {
  expect(SHIPPED_RULES.filter(({ selector }) => selectorWords(selector, String) === null)).toEqual([]);
});

it('counts open alerts by their severity', () => {
  const alert = (severity: 'critical' | 'warning', acknowledgedAt: string | null = null) => ({
    severity,
    acknowledgedAt,
  });
  expect(openWords([])).toBe('no device meets a rule');
  expect(openWords([alert('critical'), alert('warning', 'x')])).toBe('1 critical, 1 warning; 1 not acknowledged');
  expect(openWords([alert('critical', 'x')])).toBe('1 critical; all acknowledged');
});

it('counts as sampled what answers and has a new sample', () => {
  expect(answeringSelector('all', 60)).toBe('(all) & state:online & sample<300s');
  expect(perDeviceText({ bytesPerMonth: 50_000_000, devices: 25 })).toBe('2.0 MB a device');
  expect(perDeviceText({ bytesPerMonth: 0, devices: 0 })).toBe('');
  const middle = Date.parse('2026-11-16T00:00:00Z');
  expect([shareText(2e9, 50e9, middle), shareText(1e6, 50e9, middle)]).toEqual(['about 2 %', 'below 1 %']);
});

it('says how the disk goes on', () => {
  const [now, day] = [Date.parse('2026-11-28T12:00:00Z'), 86_400_000];
  const at = (days: number) => ({ bytesPerDay: 1, fullAt: new Date(now + days * day).toISOString() });
  expect(fullText({ bytesPerDay: null, fullAt: null }, now)).toBe('growth is known after an hour');
  expect(fullText({ bytesPerDay: -5, fullAt: null }, now)).toBe('not full within 365 days');
  expect(fullText(at(400), now)).toBe('not full within 365 days');
  expect(fullText(at(12.5), now)).toBe('full in 12 days');
  expect(isDiskShort({ freeBytes: 5e9, ...at(12) }, now)).toBe(true);
  expect(isDiskShort({ freeBytes: 5e9, ...at(90) }, now)).toBe(false);
  expect([growthText(null), growthText(1_200_000)]).toEqual(['', '1.2 MB more a day']);
  expect([rateText(0.44), rateText(1234)]).toEqual(['0.4', '1,234']);
  expect([latencyText(null), latencyText(11.2), latencyText(1_340)]).toEqual(['–', '12 ms', '1.3 s']);
});

it('says how many devices a request reaches now', () => {
  expect(reachText({ reached: 25, matched: 25 })).toBe('');
  expect(reachText({ reached: 22, matched: 25 })).toBe('reaches 22 of 25 devices now');
  expect(namesText(['lab-25'], 1)).toBe('lab-25');
  expect(namesText(['a', 'b', 'c'], 4)).toBe('a, b, c …');
});
