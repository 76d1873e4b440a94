import { expect, it } from 'vitest';
import { alertLines, untakenOf } from '../../../../console/src/screens/monitoring/alert/alert-groups.js';

type Alert = Parameters<typeof alertLines>[0][number];

const alert = (id: string, ruleId: string, acknowledgedAt: string | null = null) =>
  ({ id, ruleId, state: 'open', acknowledgedAt }) as Alert;

const offline = ['a', 'b', 'c', 'd'].map((id) => alert(id, 'offline', id === 'a' ? '2026-11-30T08:00:00.000Z' : null));
const keys = (alerts: readonly Alert[], open: readonly string[] = []) =>
  alertLines(alerts, new Set(open)).map(({ key, isInside }) => (isInside ? `  ${key}` : key));

it('joins several alerts of a rule where its first one is, and leaves few alone', () => {
  const alerts = [alert('x', 'hot'), offline[0]!, alert('y', 'hot'), ...offline.slice(1)];
  expect(keys(alerts)).toEqual(['x', 'y', 'rule offline']);
  expect(keys(alerts.slice(0, 5))).toEqual(['x', 'y', 'a', 'b', 'c']);
});

it('shows the alerts of an open group below it', () => {
  expect(keys(offline, ['offline'])).toEqual(['rule offline', '  a', '  b', '  c', '  d']);
  expect(keys(offline, ['hot'])).toEqual(['rule offline']);
});

it('knows of which nobody takes care', () => {
  const [line] = alertLines(offline, new Set());
  expect(untakenOf(line!.group!).map(({ id }) => id)).toEqual(['b', 'c', 'd']);
});
