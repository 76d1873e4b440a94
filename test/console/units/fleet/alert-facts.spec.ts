import { describe, expect, it } from 'vitest';
import { alertCause, alertFact, alertTexts } from '../../../../console/src/screens/monitoring/alert-cause.js';

const DAY = 86_400;
const NOW = Date.parse('2026-11-28T20:00:00Z');

const alert = (
  ruleName: string,
  values: readonly (readonly [name: 'certificate' | 'backup' | 'rsrp', value: number])[],
) => ({
  ruleName,
  ruleNote: 'What to do',
  stateReason: null,
  matchedAt: '2026-11-28T17:00:00Z',
  values: values.map(([name, value]) => ({ name, value })),
});

const fact = (of: ReturnType<typeof alert>, selector?: string) =>
  alertFact(of, selector, NOW, (state) => (state === 'offline' ? 'Offline' : state));

describe('an alert on the page of its device', () => {
  it('says what is so now, where the name of the rule has its limit', () => {
    expect(fact(alert('Certificate ends within 30 days', [['certificate', 11.5 * DAY]]))).toBe(
      'Certificate ends in 11 days',
    );
    expect(fact(alert('Certificate ends within 30 days', [['certificate', -3 * DAY]]))).toBe(
      'Certificate ended 3 days ago',
    );
    expect(fact(alert('Backup overdue', [['backup', 2.2 * DAY]]))).toBe('Newest backup made 2 days ago');
    expect(fact(alert('Weak signal for 30 minutes', [['rsrp', -117]]))).toBe('RSRP −117 dBm');
    expect(fact(alert('Offline for 15 minutes', []), 'state:offline')).toBe('Offline for 3 h');
  });

  it('has the name of its rule where nothing else is known', () => {
    expect(fact(alert('odd', []))).toBe('odd');
    expect(fact(alert('odd', []), 'state:offline & tag:pump')).toBe('odd');
  });
});

it('has the value in a list, too, and the note of the rule without one', () => {
  expect(alertCause(alert('Certificate ends within 30 days', [['certificate', 11.5 * DAY]]))).toBe(
    'Certificate ends in 11 days',
  );
  expect(alertCause(alert('odd', []))).toBe('What to do');
});

it('has what is so as the title of a list, and the name of its rule below it', () => {
  expect(alertTexts(alert('Certificate ends within 30 days', [['certificate', 11.5 * DAY]]))).toEqual({
    title: 'Certificate ends in 11 days',
    about: 'Certificate ends within 30 days',
  });
  expect(alertTexts(alert('odd', []))).toEqual({ title: 'odd', about: 'What to do' });
});
