import { expect, it } from 'vitest';
import { partsOf } from '../../../../console/src/screens/audit/entry/entry-parts.js';
import { sameCount } from '../../../../console/src/screens/rollouts/pictures/firmware-rows.js';
import { policyWords } from '../../../../console/src/screens/rollouts/plan/policy-words.js';
import { startText } from '../../../../console/src/screens/rollouts/plan/start-text.js';

/* How a rollout goes on, in the same words on its page and in the audit. */

const usual = { gate: 'auto' as const, successPercent: 95, soakMinutes: 0 };
const wave = <Given extends object>(given: Given) => ({ ...usual, ...given });

const policy = {
  waves: [
    wave({ name: 'canary', take: { count: 1 }, soakMinutes: 10 }),
    wave({ take: { site: 'riga' } }),
    wave({ name: 'rest', take: 'rest' as const, gate: 'manual' as const }),
  ],
  checks: [{ check: 'firmware' as const, is: 'R_7.25' }],
  stop: { failures: 3, percent: 10, minimum: 5 },
  concurrency: 50,
  perMinute: 0.4,
  windows: [{ days: ['sat' as const, 'sun' as const], from: '02:00', to: '04:00', except: [] }],
  timeZone: 'Europe/Riga',
  expectedMinutes: 15,
  offline: { action: 'wait' as const, waitHours: 72 },
  held: 'skip' as const,
  retries: 1,
  membership: 'frozen' as const,
};

it('says waves, thresholds and windows of a policy', () => {
  expect(policyWords(policy)).toEqual([
    ['Wave 1', 'canary: 1 device; 95 % must succeed, soaks 10 minutes'],
    ['Wave 2', 'those at the site riga; 95 % must succeed'],
    ['Wave 3', 'rest: all others; 95 % must succeed; starts when a person promotes it'],
    ['Pauses by itself', 'at 3 failures or 10 % of failures, from 5 ended devices on'],
    ['Window', 'sat, sun 02:00–04:00, in the time zone of the device, else Europe/Riga'],
    ['Pace', 'the next device after 2 min 30 s, at most 50 devices at once'],
    ['Offline devices', 'are waited for, up to 72 hours'],
    ['Devices of other rollouts', 'are left out'],
    ['Retries', '1, where another try may help'],
    ['Health checks', 'the firmware is R_7.25'],
    ['Longest for one device', '15 minutes'],
  ]);
});

it('says of a rollout that has ended what was done', () => {
  expect(policyWords({ offline: policy.offline, held: 'skip', membership: 'following' }, true)).toEqual([
    ['Offline devices', 'were waited for, up to 72 hours'],
    ['Devices of other rollouts', 'were left out'],
    ['Later devices', 'those that came to match joined the last wave'],
  ]);
});

it('says what an entry of an earlier version has', () => {
  expect(policyWords({ stop: 'never', windows: [] })).toEqual([
    ['Pauses by itself', 'never'],
    ['Window', 'at any time'],
  ]);
});

it('tells the facts of an entry apart', () => {
  const planned = { name: 'Autumn', kind: 'firmware', spec: {}, policy, devices: 20 };
  const parts = { job: { kind: 'firmware', spec: {} }, policy };
  expect(partsOf(planned)).toEqual({ ...parts, facts: { name: 'Autumn', devices: 20 } });
  const rhythm = { cron: '0 4 * * 1', timeZone: 'UTC' };
  expect(partsOf({ name: 'Weekly', rhythm, template: { ...planned, name: 'Autumn' } })).toEqual({
    ...parts,
    facts: { name: 'Weekly', rhythm: 'Mondays at 04:00 UTC', devices: 20 },
  });
  expect(partsOf({ from: 'running', to: 'awaiting_approval', kind: 'x', gone: null })).toEqual({
    job: null,
    policy: null,
    facts: { state: 'running → awaiting approval', kind: 'x' },
  });
});

it('says of a draft what its start does', () => {
  const none = { queued: 0, offline: 0, running: 0, succeeded: 0, failed: 0, unknown: 0, cancelled: 0 };
  const counts = (waiting: number) => ({ ...none, waiting, skipped: 3 });
  const part = (name: string, waiting: number) => ({
    name,
    ordinal: 0,
    state: 'waiting' as const,
    gate: 'auto' as const,
    promoted: false,
    startedAt: null,
    endedAt: null,
    soakUntil: null,
    counts: counts(waiting),
  });
  const draft = {
    kind: 'reboot' as const,
    counts: counts(6),
    waves: [part('canary', 1), part('rest', 5)],
    startsAt: null,
  };
  const now = Date.parse('2026-11-02T10:00:00Z'); // a Monday
  const anyTime = { ...policy, windows: [] };
  const waved = 'restart on 6 devices, in 2 waves, first on 1 device (canary)';
  const end = 'It can be paused and aborted.';
  expect(startText({ ...draft, policy: anyTime }, now)).toBe(`${waved}, at once. ${end}`);
  expect(startText({ ...draft, policy: anyTime, startsAt: '2026-11-03T10:00:00Z' }, now)).toBe(
    `${waved}, from Tue 3 Nov, 12:00 Europe/Riga on. ${end}`,
  );
  expect(
    startText({ ...draft, waves: [part('canary', 1), part('none', 0), part('rest', 5)], policy: anyTime }, now),
  ).toBe(`${waved}, at once. ${end}`);
  expect(startText({ ...draft, waves: [part('all', 6)], policy }, now)).toBe(
    `restart on 6 devices, from Sat 7 Nov, 02:00 Europe/Riga on. ${end}`,
  );
});

it('counts the devices of a plan that have what they would get', () => {
  const line = { model: 'RUTX50', firmware: 'RUTX_R_00.07.16.3', devices: 2, vendor: null };
  expect(sameCount([line], { version: 'RUTX_R_00.07.16.3', isVendor: true })).toBe(2);
  expect(sameCount([line], { version: 'RUTX_R_00.07.17', isVendor: true })).toBe(0);
  expect(sameCount([], { version: null, isVendor: true })).toBe(0);
});
