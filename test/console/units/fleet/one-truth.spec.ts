import { describe, expect, it } from 'vitest';
import { shortLife } from '../../../../console/src/api/limits/certificate-end.js';
import { loginsText, usualLoginsText } from '../../../../console/src/api/limits/logins.js';
import { backupJobsText } from '../../../../console/src/screens/backups/backup-jobs.js';
import { storedBytes } from '../../../../console/src/screens/backups/backup-runs.js';
import { fleetWeek } from '../../../../console/src/screens/monitoring/shown/fleet-week.js';
import { causeOf } from '../../../../console/src/screens/device-outage/outage-cause.js';

/* Figures and sentences that two screens show: they never contradict each other. */

it('draws the week of some devices as one line, between the lowest and the highest', () => {
  const from = Date.parse('2026-11-21T00:00:00Z');
  const at = (hours: number) => new Date(from + hours * 3_600_000).toISOString();
  const point = (hours: number, min: number, mean: number, max: number) => ({ at: at(hours), min, mean, max });
  const one = { points: [point(0, -90, -85, -80), point(2, -90, -85, -80)] };
  const other = { points: [point(0, -110, -105, -100)] };
  expect(fleetWeek([one, other], from, 3_600)).toEqual([point(0, -110, -95, -80), point(2, -90, -85, -80)]);
  expect(fleetWeek([], from, 3_600)).toEqual([]);
});

it('counts the bytes of equal backups once, as the store does', () => {
  const file = (sha256: string, bytes: number) => ({ sha256, bytes });
  expect(storedBytes([file('a', 10), file('b', 5), file('a', 10)])).toBe(15);
  expect(storedBytes([])).toBe(0);
});

it('says of a certificate that it was issued for less time than the rule asks for', () => {
  expect(shortLife('2026-11-28T00:00:00Z', '2026-12-10T00:00:00Z')).toBe(12);
  expect(shortLife('2026-11-28T00:00:00Z', '2027-11-28T00:00:00Z')).toBeNull();
});

describe('backup jobs beside the backups of a device', () => {
  const made = { outcome: 'succeeded', result: {} };
  const same = { outcome: 'succeeded', result: { unchanged: true } };
  const failed = { outcome: 'failed', result: null };
  const jobs = (count: number, job: typeof made) => Array.from({ length: count }, () => job);

  it('say why there are more of them', () => {
    expect(backupJobsText([...jobs(3, made), ...jobs(7, same)], 3)).toBe('10 jobs: 7 found nothing new to store');
    expect(backupJobsText([...jobs(5, made), ...jobs(1, same)], 3)).toBe(
      '6 jobs: 1 found nothing new to store, 2 were deleted since',
    );
  });

  it('say nothing where each has its backup, or where not all of them were read', () => {
    expect(backupJobsText([...jobs(3, made), failed], 3)).toBe('all that are stored');
    expect(backupJobsText(jobs(200, same), 3, true)).toBe('all that are stored');
  });
});

it('gives logins of one device, in a price and beside what is usual', () => {
  expect(loginsText(25, 25)).toBe('1 login a day at each device');
  expect(loginsText(5, 25)).toBe('fewer than 1 login a day at each device');
  expect(loginsText(0, 25)).toBe('no logins');
  expect(usualLoginsText(3)).toBe('3, as usual: a device has up to 20 a day');
  expect(usualLoginsText(21)).toContain('more than usual: a device has up to 20 a day');
});

it('never says that a device answers as the cause of its silence', () => {
  const reasons = [
    'ENOTFOUND',
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'timeout: connect',
    'timeout: tls',
    'ECONNRESET',
    'tls: x',
    'timeout: answer',
  ];
  for (const reason of reasons)
    expect(causeOf(reason).title).not.toMatch(/(?:address|router|device) (?:answers|connects)/);
});
