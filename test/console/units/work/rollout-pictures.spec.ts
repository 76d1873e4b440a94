import { describe, expect, it } from 'vitest';
import { specWords } from '../../../../console/src/screens/job-forms/shown/spec-words.js';
import { firmwareRows, shortVersion } from '../../../../console/src/screens/rollouts/pictures/firmware-rows.js';
import { liveSpans, openSpans, plannedSpans } from '../../../../console/src/screens/rollouts/pictures/wave-times.js';

/* What the pictures of a rollout show, and its parameters in words. */

const at = (time: string) => Date.parse(`2026-11-02T${time}:00Z`); // a Monday
const MINUTE = 60_000;

const plan = (beginsAt: string, endsAt: string, totals: readonly number[]) => ({
  estimate: { beginsAt: `2026-11-02T${beginsAt}:00Z`, endsAt: `2026-11-02T${endsAt}:00Z` },
  waves: totals.map((total, index) => ({ name: `wave ${index}`, total, first: [] })),
});

const timesOf = (spans: ReturnType<typeof plannedSpans>) =>
  spans.map(({ work, soak }) => [work, soak].map((one) => one && [one.from, one.to].map(text)));
const text = (ms: number) => new Date(ms).toISOString().slice(11, 16);

describe('the waves of a plan over time', () => {
  it('follow each other, with their soaks, until the estimated end', () => {
    const policy = { concurrency: 1, waves: [{ soakMinutes: 30 }, {}] };
    expect(timesOf(plannedSpans(plan('01:00', '02:30', [1, 3]), policy, null))).toEqual([
      [['01:00', '01:15'], ['01:15', '01:45']],
      [['01:45', '02:30'], null],
    ]); // prettier-ignore
  });

  it('pass over the time in which the window is closed', () => {
    const open = [{ from: at('01:00'), to: at('02:00') }, { from: at('05:00'), to: at('06:00') }]; // prettier-ignore
    const spans = plannedSpans(plan('01:00', '06:00', [3, 1]), { concurrency: 1 }, open);
    expect(timesOf(spans)).toEqual([[['01:00', '05:30'], null], [['05:30', '06:00'], null]]); // prettier-ignore
  });

  it('are not drawn where no window opens', () => {
    const spans = plannedSpans({ ...plan('01:00', '02:00', [2]), estimate: null }, {}, null);
    expect(spans).toMatchObject([{ devices: 2, work: null, soak: null }]);
  });

  it('know the open spans in the time zone of the policy', () => {
    const daily = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const, from: '02:00', to: '04:00', except: [] };
    const spans = openSpans([{ ...daily, days: [...daily.days] }], 'Europe/Vilnius', { from: at('01:00'), to: at('23:00') });
    expect(spans?.map(({ from, to }) => [text(from), text(to)])).toEqual([['00:00', '02:00']]);
    expect(openSpans([], 'UTC', { from: 0, to: 1 })).toBeNull();
  }); // prettier-ignore
});

describe('the waves of a rollout over time', () => {
  const none = {
    waiting: 0,
    offline: 0,
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
    cancelled: 0,
  };
  const wave = (ordinal: number, given: object) => ({
    ordinal, name: `wave ${ordinal}`, state: 'waiting', gate: 'auto', promoted: false, soakUntil: null, startedAt: null, endedAt: null, counts: none,
    ...given,
  }); // prettier-ignore
  const rollout = (waves: object[]) =>
    ({
      waves,
      startedAt: new Date(at('01:00')).toISOString(),
      endedAt: null,
      policy: { waves: [] },
    }) as unknown as Parameters<typeof liveSpans>[0];

  it('end as they ended, and continue at the speed until now', () => {
    const spans = liveSpans(
      rollout([
        wave(0, { startedAt: '2026-11-02T01:00:00Z', endedAt: '2026-11-02T01:10:00Z', counts: { ...none, succeeded: 1 } }),
        wave(1, { startedAt: '2026-11-02T01:10:00Z', counts: { ...none, succeeded: 1, running: 1 } }),
        wave(2, { counts: { ...none, waiting: 2 } }),
      ]),
      at('01:20'),
    ); // prettier-ignore
    expect(spans[0]!.work).toEqual({ from: at('01:00'), to: at('01:10') });
    expect(spans[1]!.work).toEqual({ from: at('01:10'), to: at('01:20') });
    expect(spans[2]).toMatchObject({
      isGuess: true,
      work: { from: at('01:20') + 10 * MINUTE, to: at('01:20') + 30 * MINUTE },
    });
  });

  it('are not guessed before a device has ended', () => {
    const spans = liveSpans(rollout([wave(0, { startedAt: '2026-11-02T01:00:00Z', counts: { ...none, running: 1 } }), wave(1, { counts: { ...none, waiting: 2 } })]), at('01:05')); // prettier-ignore
    expect(spans.map(({ work }) => work !== null)).toEqual([true, false]);
  });
});

describe('firmware by model', () => {
  it('counts the models with their versions, and says what each gets', () => {
    const devices = [
      { model: 'RUT951', firmware: 'RUT9M_R_00.07.16.3' },
      { model: 'RUT951', firmware: 'RUT9M_R_00.07.16.3' },
      { model: 'RUTX50', firmware: 'RUTX_R_00.07.14' },
      { model: null, firmware: null },
    ];
    const rows = firmwareRows(devices, { version: '7.16.3', isVendor: false });
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['RUT951', '07.16.3', '7.16.3, as it has', true, 2],
      ['not known yet', 'not known yet', '7.16.3', false, 1],
      ['RUTX50', '07.14', '7.16.3', false, 1],
    ]);
    expect(firmwareRows(devices, { version: null, isVendor: true })[0]!.gets).toBe('the newest of the vendor');
    expect(shortVersion('1.2-own')).toBe('1.2-own');
  });
});

describe('parameters in words', () => {
  it.each<[string, object, readonly (readonly [string, string])[]]>([
    ['firmware', { source: 'vendor', keepSettings: true }, [['Firmware', 'The newest of the vendor']]],
    ['firmware', { artifactId: 'x', sha256: 'y', backup: 'skip' }, [['Firmware', 'A stored image'], ['Do not require a backup', 'yes']]],
    ['reboot', {}, []],
    ['configure', { changes: [{ action: 'update', path: '/api/ntp/global', data: { interval: '7200' }, sealed: [{ option: 'key', valueId: 'x' }] }], dryRun: false },
      [['Changes', 'Change /api/ntp/global: interval = 7200, key = a secret']]],
    ['users', { accounts: [{ username: 'ops', state: 'present', group: 'pumps' }], groups: [] }, [['Accounts', 'ops (group: pumps)']]],
    ['call', { method: 'PUT', path: '/api/x', data: { a: ['1', '2'] }, expect: { status: 200 }, verify: true },
      [['Method', 'PUT: change'], ['Path', '/api/x'], ['Values to send', 'a = 1, 2'], ['Expected answer: Status', '200']]],
    ['of_tomorrow', { some_thing: { a: 1 } }, [['some thing', '{"a":1}']]],
  ])('of %s %j', (kind, spec, lines) => {
    expect(specWords(kind, spec)).toEqual(lines);
  }); // prettier-ignore
});
