import { describe, expect, it } from 'vitest';
import { nextRun } from '../../src/recurring/rhythm.js';
import { estimate } from '../../src/rollouts/engine/estimate.js';
import {
  type MaintenanceWindow,
  isWindowOpen,
  OpeningsAhead,
  WEEKDAYS,
} from '../../src/rollouts/state/maintenance-window.js';
import { rolloutPolicy } from '../../src/rollouts/state/rollout-policy.js';

/* Windows come from callers: what they make the gateway do is counted, since a time would depend on the machine. */

const NOW = Date.parse('2026-11-23T12:00Z');
const MINUTE = 60_000;

/** Counts what is read of lists. */
class ReadCounter {
  count = 0;

  at<T>(list: readonly T[]): T[] {
    return new Proxy([...list], {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) this.count++;
        return Reflect.get(target, key) as unknown;
      },
    });
  }
}

/** The most windows, with the most exceptions: half an hour in each of 20 hours. */
function largest(looks: ReadCounter): MaintenanceWindow[] {
  const except = Array.from({ length: 366 }, (_, day) => `1999-${day}`);
  return Array.from({ length: 20 }, (_, hour) => {
    const from = String(hour).padStart(2, '0');
    return { days: looks.at(WEEKDAYS), from: `${from}:00`, to: `${from}:30`, except: looks.at(except) };
  });
}

const devices = (count: number) => [{ devices: Array.from({ length: count }, () => ({ timeZone: null })) }];

describe('the work of windows', () => {
  it('is that of some days for the question whether a device may begin now', () => {
    const looks = new ReadCounter();
    const windows = largest(looks);
    isWindowOpen(windows, 'Europe/Vilnius', NOW, 60 * MINUTE);
    const first = looks.count;
    for (const zone of ['Europe/Riga', 'Asia/Tokyo', 'America/New_York', 'Pacific/Chatham']) {
      expect(isWindowOpen(windows, zone, NOW, 60 * MINUTE)).toBe(false);
    }
    // All exceptions are looked at once; then each zone costs at most 7 names of weekdays for 20 windows on 6 days.
    expect(first).toBeLessThan(20 * 366 + 900);
    expect(looks.count - first).toBeLessThan(4 * 900);
  });

  it('does not grow with the devices of a plan that has no windows or one that never closes', () => {
    const looks = new ReadCounter();
    const always = { from: '00:00', to: '00:00', days: looks.at(WEEKDAYS), except: [] };
    for (const windows of [[], [always]]) {
      const policy = { ...rolloutPolicy.parse({ concurrency: 1, expectedMinutes: 1 }), windows };
      const found = estimate({ policy, startsAt: null }, devices(700), NOW);
      expect(found).toEqual({ beginsAt: new Date(NOW), endsAt: new Date(NOW + 700 * MINUTE) });
    }
    expect(looks.count).toBeLessThan(1_200 * 7);
  });

  it('is that of each day once for a plan, however many devices go into an opening', () => {
    const looks = new ReadCounter();
    const windows = largest(looks);
    const policy = { ...rolloutPolicy.parse({ concurrency: 1, expectedMinutes: 1 }), windows };
    // 620 minutes a day, since work may begin in the last minute.
    const found = estimate({ policy, startsAt: null }, devices(700), NOW);
    expect(found!.endsAt.getTime() - NOW).toBeGreaterThan(20 * 3_600_000);
    expect(looks.count).toBeLessThan(20 * 366 + 12 * 20 * 7);
  });

  it('ends for a plan that would take years', () => {
    const looks = new ReadCounter();
    const windows = largest(looks);
    const policy = { ...rolloutPolicy.parse({ concurrency: 1, expectedMinutes: 30 }), windows };
    expect(estimate({ policy, startsAt: null }, devices(30_000), NOW)).toBeNull();
    expect(looks.count).toBeLessThan(20 * 366 + 1_200 * 20 * 7);
  });

  it('makes one clock for a zone, however its name is spelled', () => {
    const real = Intl.DateTimeFormat;
    let made = 0;
    Intl.DateTimeFormat = new Proxy(real, {
      construct: (target, args: unknown[]) => {
        made++;
        return Reflect.construct(target, args) as object;
      },
    });
    try {
      for (let spelling = 0; spelling < 200; spelling++) {
        const letters = [...'africa/abidjan'];
        const zone = letters.map((letter, at) => ((spelling >> at) & 1 ? letter.toUpperCase() : letter)).join('');
        new OpeningsAhead([{ days: ['mon'], from: '01:00', to: '02:00', except: [] }], zone, NOW).next(NOW, 0);
        nextRun({ cron: '30 2 * * *', timeZone: zone }, NOW, 0);
      }
      expect(made).toBeLessThan(20);
    } finally {
      Intl.DateTimeFormat = real;
    }
  });
});

describe('an estimate', () => {
  it.each([
    ['nothing but the time of a device', {}],
    ['a pace', { perMinute: 3 }],
    ['windows', { windows: [{ from: '22:00', to: '23:00' }] }],
    ['windows and a pace that goes beyond them', { windows: [{ from: '22:00', to: '23:00' }], perMinute: 0.2 }],
    ['windows that touch', { windows: [{ from: '20:00', to: '23:00' }, { from: '23:00', to: '01:00' }] }], // prettier-ignore
    ['work without a length', { windows: [{ from: '22:00', to: '23:00' }], expectedMinutes: 0 }],
    ['work that fits into no window', { windows: [{ from: '22:00', to: '22:10' }] }],
  ])('says what one batch after the other would, with %s', (_words, rules) => {
    for (const concurrency of [1, 7, 50]) {
      const policy = rolloutPolicy.parse({ timeZone: 'Europe/Vilnius', concurrency, ...rules });
      const waves = [...devices(1), ...devices(0), ...devices(43), ...devices(100)];
      expect(estimate({ policy, startsAt: null }, waves, NOW)).toEqual(stepped(policy, waves));
    }
  });
});

/** The same, batch by batch. */
function stepped(policy: ReturnType<typeof rolloutPolicy.parse>, waves: ReturnType<typeof devices>) {
  const needed = policy.expectedMinutes * MINUTE;
  const pace = policy.perMinute === undefined ? 0 : MINUTE / policy.perMinute;
  let at = NOW;
  let begins: number | null = null;
  for (const { devices: all } of waves) {
    for (let left = all.length; left > 0; left -= policy.concurrency) {
      const opening = new OpeningsAhead(policy.windows, policy.timeZone, at).next(at, needed);
      if (!opening) return null;
      begins ??= opening.at;
      at = opening.at + Math.max(needed, Math.min(left, policy.concurrency) * pace);
    }
  }
  return { beginsAt: new Date(begins!), endsAt: new Date(at) };
}
