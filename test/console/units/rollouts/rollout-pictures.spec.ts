import { describe, expect, it } from 'vitest';
import { specWords } from '../../../../console/src/screens/job-forms/shown/spec-words.js';
import { waveAttention } from '../../../../console/src/screens/overview/attention.js';
import { firmwareRows } from '../../../../console/src/screens/rollouts/pictures/firmware-rows.js';
import { heldWaveText, waveNowText } from '../../../../console/src/screens/rollouts/pictures/wave-now.js';
import {
  forecastEnd,
  liveSpans,
  medianMs,
  openSpans,
  plannedSpans,
} from '../../../../console/src/screens/rollouts/pictures/wave-times.js';

/* What the pictures of a rollout show, and its parameters in words. */

const at = (time: string) => Date.parse(`2026-11-02T${time}:00Z`); // a Monday

const plan = (beginsAt: string, endsAt: string, totals: readonly number[]) => ({
  estimate: { beginsAt: `2026-11-02T${beginsAt}:00Z`, endsAt: `2026-11-02T${endsAt}:00Z` },
  waves: totals.map((total, index) => ({ name: `wave ${index}`, total, first: [] })),
});

const timesOf = (spans: ReturnType<typeof plannedSpans>) =>
  spans.map(({ rest, soak }) => [rest, soak].map((one) => one && [one.from, one.to].map(text)));
const text = (ms: number) => new Date(ms).toISOString().slice(11, 16);

describe('the waves of a plan over time', () => {
  it('follow each other, with their soaks, until the estimated end', () => {
    const policy = { concurrency: 1, waves: [{ soakMinutes: 30 }, {}] };
    expect(timesOf(plannedSpans(plan('01:00', '02:30', [1, 3]), policy, null))).toEqual([
      [['01:00', '01:15'], ['01:15', '01:45']],
      [['01:45', '02:30'], null],
    ]); // prettier-ignore
  });

  it('take as long as such jobs took, where that is known', () => {
    const policy = { concurrency: 2, waves: [{ soakMinutes: 30 }, {}] };
    expect(timesOf(plannedSpans(plan('01:00', '02:30', [1, 3]), policy, null, 60_000))).toEqual([
      [['01:00', '01:01'], ['01:01', '01:31']],
      [['01:31', '01:33'], null],
    ]); // prettier-ignore
    const job = (seconds: number) => ({ startedAt: new Date(0).toISOString(), endedAt: new Date(seconds * 1_000).toISOString() });
    expect(medianMs([job(900), job(5), { startedAt: null, endedAt: null }, job(6)])).toBe(6_000);
    expect(medianMs([])).toBeNull();
  }); // prettier-ignore

  it('pass over the time in which the window is closed', () => {
    const open = [{ from: at('01:00'), to: at('02:00') }, { from: at('05:00'), to: at('06:00') }]; // prettier-ignore
    const spans = plannedSpans(plan('01:00', '06:00', [3, 1]), { concurrency: 1 }, open);
    expect(timesOf(spans)).toEqual([[['01:00', '05:30'], null], [['05:30', '06:00'], null]]); // prettier-ignore
  });

  it('of no device have no time', () => {
    const spans = plannedSpans(plan('01:00', '02:00', [1, 0, 1]), { concurrency: 1 }, null);
    expect(timesOf(spans)).toEqual([[['01:00', '01:30'], null], [null, null], [['01:30', '02:00'], null]]); // prettier-ignore
  });

  it('are not drawn where no window opens', () => {
    const spans = plannedSpans({ ...plan('01:00', '02:00', [2]), estimate: null }, {}, null);
    expect(spans).toMatchObject([{ devices: 2, work: null, rest: null, soak: null }]);
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
  const rollout = (waves: readonly { counts: object }[], given: object = {}) =>
    ({
      waves,
      state: 'running',
      counts: Object.fromEntries(
        Object.keys(none).map((name) => [
          name,
          waves.reduce((all, { counts }) => all + (counts as Record<string, number>)[name]!, 0),
        ]),
      ),
      startedAt: new Date(at('01:00')).toISOString(),
      endedAt: null,
      policy: { waves: [] },
      ...given,
    }) as unknown as Parameters<typeof liveSpans>[0];

  const half = [
    wave(0, { startedAt: '2026-11-02T01:00:00Z', endedAt: '2026-11-02T01:10:00Z', counts: { ...none, succeeded: 1 } }),
    wave(1, { startedAt: '2026-11-02T01:10:00Z', counts: { ...none, succeeded: 1, running: 1 } }),
    wave(2, { counts: { ...none, waiting: 2, skipped: 3 } }),
  ]; // prettier-ignore

  it('end as they ended, and what is left of them continues at the speed until now', () => {
    const spans = liveSpans(rollout(half), at('01:20'));
    expect(spans[0]).toMatchObject({ work: { from: at('01:00'), to: at('01:10') }, rest: null });
    expect(spans[1]!.work).toEqual({ from: at('01:10'), to: at('01:20') });
    expect(spans[1]!.rest).toEqual({ from: at('01:20'), to: at('01:30') });
    expect(spans[2]).toMatchObject({ devices: 2, work: null, rest: { from: at('01:30'), to: at('01:50') } });
    expect(forecastEnd(rollout(half), at('01:20'))).toBe(at('01:50'));
  });

  it('wait for their soak, and for the window', () => {
    const soaks = rollout(half, { policy: { waves: [{}, { soakMinutes: 30 }, {}] } });
    expect(liveSpans(soaks, at('01:20'))[1]!.soak).toEqual({ from: at('01:30'), to: at('02:00') });
    expect(forecastEnd(soaks, at('01:20'))).toBe(at('02:20'));
    const open = [{ from: at('01:00'), to: at('01:30') }, { from: at('05:00'), to: at('06:00') }]; // prettier-ignore
    expect(forecastEnd(rollout(half), at('01:20'), open)).toBe(at('05:20'));
  });

  it('are not foreseen before two devices have ended, nor where the rollout does not run', () => {
    const one = rollout([half[0]!, wave(1, { startedAt: '2026-11-02T01:10:00Z', counts: { ...none, running: 1 } })]);
    const paused = rollout(half, { state: 'paused' });
    for (const each of [one, paused]) {
      expect(liveSpans(each, at('01:20')).map(({ rest }) => rest)).not.toContainEqual(expect.anything());
      expect(forecastEnd(each, at('01:20'))).toBeNull();
    }
    expect(liveSpans(one, at('01:20')).map(({ work }) => work !== null)).toEqual([true, true]);
  });
});

describe('firmware by model', () => {
  const seen = { version: 'RUT9M_R_00.07.17', at: '2026-11-02T01:00:00Z' };
  const lines = [
    { model: 'RUT951', firmware: 'RUT9M_R_00.07.16.3', devices: 2, vendor: seen },
    { model: 'RUTX50', firmware: 'RUTX_R_00.07.17', devices: 1, vendor: null },
    { model: null, firmware: null, devices: 1, vendor: null },
  ];

  it('says what each gets: the image, the named version, or the newest of the vendor where it was seen', () => {
    const getsOf = (wanted: Parameters<typeof firmwareRows>[1]) => firmwareRows(lines, wanted).map(({ gets }) => gets);
    expect(getsOf({ version: '7.16.3', isVendor: false })).toEqual(['7.16.3, as it has', '7.16.3', '7.16.3']);
    expect(getsOf({ version: null, isVendor: false })).toEqual(['the image', 'the image', 'the image']);
    const unknown = 'the newest that the vendor offers; known when the job asks';
    expect(getsOf({ version: null, isVendor: true })).toEqual(['07.17', unknown, unknown]);
    expect(firmwareRows(lines, { version: null, isVendor: true })[0]).toMatchObject({
      seenAt: seen.at,
      now: '07.16.3',
    });
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

describe('the wave of a rollout in the list', () => {
  const counts = {
    waiting: 0,
    offline: 0,
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    unknown: 0,
    cancelled: 0,
    skipped: 0,
  };
  const waveOf = (name: string, state: 'waiting' | 'running' | 'soaking' | 'passed', gate: 'auto' | 'manual', of: Partial<typeof counts>) => ({
    ordinal: 0, name, state, gate, promoted: false, startedAt: null, endedAt: null, soakUntil: null, counts: { ...counts, ...of },
  }); // prettier-ignore
  const canary = waveOf('canary', 'passed', 'auto', { succeeded: 2 });
  const rest = (gate: 'auto' | 'manual') => waveOf('rest', 'waiting', gate, { waiting: 5 });

  it('says how far it is, and whether it waits for a person', () => {
    const half = waveOf('half', 'running', 'auto', { succeeded: 3, failed: 1, running: 6 });
    expect(waveNowText({ waves: [canary, half, rest('manual')] }, 'you')).toBe(
      'wave half, 4 of 10 · then waits for you',
    );
    expect(waveNowText({ waves: [canary, half, rest('auto')] }, 'you')).toBe('wave half, 4 of 10');
    expect(waveNowText({ waves: [canary, rest('manual')] }, 'a person')).toBe(
      'wave rest, 5 devices, waits for a person',
    );
    expect(waveNowText({ waves: [canary, rest('auto')] }, 'you')).toBe('');
  });

  it('is held while nothing goes on until a person lets the next wave begin', () => {
    const half = waveOf('half', 'soaking', 'auto', { succeeded: 3 });
    const one = waveOf('one', 'waiting', 'manual', { waiting: 1, cancelled: 0 });
    expect(heldWaveText({ state: 'running', waves: [canary, rest('manual')] })).toBe('wave rest, 5 devices');
    expect(heldWaveText({ state: 'running', waves: [canary, one, rest('manual')] })).toBe('wave one, 1 device');
    expect(heldWaveText({ state: 'running', waves: [canary, { ...rest('manual'), promoted: true }] })).toBe('');
    expect(heldWaveText({ state: 'running', waves: [canary, half, rest('manual')] })).toBe('');
    expect(heldWaveText({ state: 'running', waves: [canary, rest('auto')] })).toBe('');
    expect(heldWaveText({ state: 'paused', waves: [canary, rest('manual')] })).toBe('');
  });

  it('needs attention then, with what it waits for', () => {
    const rollout = { id: 'r', name: 'Autumn', state: 'running', counts: { ...counts, succeeded: 2, failed: 1 } };
    const shown = (waves: unknown[]) => waveAttention({ ...rollout, waves } as never);
    expect(shown([canary, rest('manual')])).toMatchObject([
      {
        what: 'Autumn',
        why: 'Begins when a person lets it: wave rest, 5 devices · 1 failure so far',
        to: '/rollouts/r',
      },
    ]);
    expect(shown([canary, rest('auto')])).toEqual([]);
  });
});
