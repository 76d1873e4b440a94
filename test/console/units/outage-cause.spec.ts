import { describe, expect, it } from 'vitest';
import { causeOf, neighbourText, storedStages } from '../../../console/src/screens/device-outage/outage-cause.js';

describe('the cause of an outage', () => {
  it.each([
    ['unreachable: ENOTFOUND', 'name', 'name not found'],
    ['refused: ECONNREFUSED', 'tcp', 'port closed'],
    ['unreachable: EHOSTUNREACH', 'tcp', 'no route'],
    ['timeout: connect', 'tcp', 'no connection'],
    ['timeout: ETIMEDOUT', 'tcp', 'no connection'],
    ['timeout: tls', 'tls', 'time-out at TLS'],
    ['refused: closed while connecting', 'tls', 'connection closed'],
    ['tls: UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'TLS failed'],
    ['timeout: answer', 'answer', 'no answer in time'],
    ['something new', 'answer', 'no answer'],
    [null, 'answer', 'no answer'],
  ])('%s is at %s: %s', (reason, stage, short) => {
    const cause = causeOf(reason);
    expect([cause.stage, cause.short]).toEqual([stage, short]);
    expect(cause.todo.length).toBeGreaterThan(0);
  });

  it('shows what was passed before the failed stage, and nothing after it', () => {
    expect(storedStages(causeOf('timeout: tls')).map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'failed',
      'skipped',
      'skipped',
    ]);
  });
});

describe('the devices beside it', () => {
  const beside = { by: 'site', name: 'vilnius/lab', devices: 4, online: 4, offline: 0, others: [] } as const;

  it.each([
    [beside, 'The 4 others at vilnius/lab are online: the fault is at this device.'],
    [
      { ...beside, online: 0, offline: 4 },
      'The 4 others at vilnius/lab are offline, too: look at the power and the link of the site first.',
    ],
    [
      { ...beside, online: 1, offline: 2 },
      'The 4 others at vilnius/lab: 1 online, 2 offline, 1 not checked or not trusted.',
    ],
    [
      { ...beside, online: 1, offline: 2, others: [{ id: 'x', name: 'pump-3' }] },
      'The 4 others at vilnius/lab: 1 online, 2 offline, 1 not checked or not trusted:',
    ],
    [{ ...beside, online: 1, offline: 3 }, 'The 4 others at vilnius/lab: 1 online, 3 offline.'],
    [
      { by: 'network', name: '192.0.2.0/24', devices: 1, online: 0, offline: 1, others: [] } as const,
      'The other device in 192.0.2.0/24 is offline, too: look at the way to this network.',
    ],
  ])('are told in a sentence', (neighbours, text) => {
    expect(neighbourText(neighbours)).toBe(text);
  });
});
