import { describe, expect, it } from 'vitest';
import {
  compareSearch,
  firstPair,
  lastChange,
  newestOfDevices,
} from '../../../../console/src/screens/backups/backup-runs.js';
import { equalTexts, updateAfter, whyText } from '../../../../console/src/screens/backups/stored/backup-why.js';
import { countedText } from '../../../../console/src/screens/backups/stored/counted-text.js';

type Backup = Parameters<typeof whyText>[0];

const at = (hour: number) => new Date(Date.UTC(2026, 10, 30, hour)).toISOString();
const backup = (id: string, hour: number, more: Partial<Backup> = {}) =>
  ({
    id,
    deviceId: 'd',
    jobId: `job-${id}`,
    sha256: 'x',
    createdBy: 'operator:ada',
    createdByName: 'Ada',
    createdAt: at(hour),
    sameSettings: null,
    ...more,
  }) as Backup;
const job = (id: string, hour: number, reason: string | null) => ({ id, deviceId: 'd', reason, createdAt: at(hour) });
const policy = (id: string, name: string, onlyChanges: boolean) => ({ id, name, onlyChanges });

describe('a stored backup', () => {
  it.each<[Partial<Backup>, string | null, string]>([
    [{ createdBy: 'system:backup-policy:n' }, 'backup policy Nightly', 'Policy Nightly'],
    [{ createdBy: 'system:backup-policy:gone' }, null, 'A policy'],
    [{}, 'rollout Autumn', 'Rollout Autumn, by Ada'],
    [{}, 'Before the move', '“Before the move”, by Ada'],
    [{}, null, 'By Ada'],
    [{ createdByName: null }, null, '–'],
  ])('of %j says why it was made', (more, reason, text) => {
    const jobs = [job('job-1', 1, reason)];
    expect(whyText(backup('1', 1, more), { policies: [policy('n', 'Nightly', true)], jobs })).toBe(text);
  });

  it('is the last before an update of the firmware only where none is between', () => {
    const rows = [backup('3', 9), backup('2', 5), backup('1', 1)];
    const updates = [job('u', 6, null), { ...job('v', 3, null), deviceId: 'other' }];
    expect(rows.map((one) => updateAfter(one, rows, { updates }))).toEqual([null, at(6), null]);
  });

  it('says why it is stored although nothing changed', () => {
    const nightly = { createdBy: 'system:backup-policy:n', sameSettings: true };
    const rows = [backup('3', 9, { sameSettings: true }), backup('2', 5, nightly), backup('1', 1, nightly)];
    expect(equalTexts(rows, [policy('n', 'Nightly', false)])).toEqual([
      'The policy Nightly stores each backup, also one without a change.',
      'A backup that a person or a rollout makes is always stored.',
    ]);
    expect(equalTexts(rows, [policy('n', 'Nightly', true)])[0]).toMatch(/^The policy Nightly stores only what changed/);
    expect(equalTexts([backup('2', 5), backup('1', 1)], [])).toEqual([]);
  });

  it('is compared with the one before it, first the last that differ', () => {
    const rows = [
      backup('4', 9, { sameSettings: true }),
      backup('3', 8, { sameSettings: false }),
      backup('2', 5, { sameSettings: true }),
      backup('1', 1),
    ];
    expect(lastChange(rows)).toEqual({ a: '2', b: '3' });
    expect(firstPair([rows[0]!, rows[2]!]), 'none differs').toEqual({ a: '2', b: '4' });
    expect(firstPair([rows[3]!])).toBeNull();
  });

  it('leads to its comparison with the one before it of its device, else with the newest', () => {
    const rows = [
      backup('4', 9),
      backup('3', 8, { deviceId: 'e' }),
      backup('2', 5),
      backup('0', 1, { deviceId: null }),
    ];
    const pairOf = (of: Backup) => {
      const { tab: _, ...pair } = compareSearch(of, rows);
      return pair;
    };
    expect(pairOf(rows[0]!)).toEqual({ device: 'd', a: '2', b: '4' });
    expect(pairOf(rows[2]!), 'the oldest').toEqual({ device: 'd', a: '2', b: '4' });
    expect(pairOf(backup('1', 1)), 'older than what was read').toEqual({ device: 'd', a: '1', b: '4' });
    expect(pairOf(rows[1]!), 'the only one').toEqual({ device: 'e', a: '3', b: undefined });
    expect(pairOf(rows[3]!), 'of no device').toEqual({ device: undefined, a: '0', b: undefined });
    expect(newestOfDevices(rows).map(({ id }) => id)).toEqual(['4', '3']);
  });
});

it('says how many settings differ', () => {
  const line = (is: '+' | '-', value: string) => ({ is, text: `\toption hostname '${value}'` });
  const ntp = { name: 'etc/config/ntpclient', change: 'changed' as const, lines: [line('-', 'a'), line('+', 'b')] };
  const key = { name: 'etc/dropbear/key', change: 'added' as const, lines: null };
  expect(countedText({ same: false, files: [ntp], cut: false })).toBe('1 setting changed');
  expect(countedText({ same: false, files: [ntp, key], cut: true })).toBe('More than 1 setting and 1 file changed');
  expect(countedText({ same: true, files: [], cut: false })).toBe('No change');
});
