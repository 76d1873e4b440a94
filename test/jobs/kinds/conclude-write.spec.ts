import { describe, expect, it } from 'vitest';
import { concludeWrite, PROBE_AGAIN_MS, MAX_SENDS, SETTLED_MS } from '../../../src/jobs/kind-api/conclude-write.js';
import { go } from '../../../src/jobs/kind-api/outcomes.js';

const applied = go({ at: 'applied' });
const notApplied = go({ at: 'not applied' });
const resend = (sends: number) => go({ at: 'again', sends });
const lost = (sends: number) => ({ is: 'unknown', stepResult: go({ at: 'lost', sends }) }) as const;
const after = { seen: true };

const conclude = (
  evidence: { answer?: unknown; settlingMs?: number },
  write: {
    applied?: typeof applied | null;
    notApplied?: typeof notApplied;
    asBefore?: boolean;
    sends?: number;
    settledMs?: number;
  },
) =>
  concludeWrite<{ at: string; sends?: number }>(
    { answer: undefined, settlingMs: 0, ...evidence },
    { after, applied: null, sends: 0, resend, lost, ...write },
  );

describe('a write that a read can verify', () => {
  it.each([
    ['answered', { answer: {} }],
    ['its answer lost', { settlingMs: 0 }],
    ['its answer lost long ago', { settlingMs: SETTLED_MS }],
  ])('is executed when the device has it: %s', (_name, evidence) => {
    expect(conclude(evidence, { applied, notApplied })).toEqual({ is: 'executed', after, stepResult: applied });
  });

  it('is not applied when it was accepted and is not there', () => {
    expect(conclude({ answer: {} }, { notApplied })).toEqual({ is: 'executed', after, stepResult: notApplied });
  });

  it('is sent again at once when it was accepted, is not there, and its kind has no other end for that', () => {
    expect(conclude({ answer: {} }, {})).toEqual({ is: 'not_executed', after, stepResult: resend(1) });
  });

  it('is probed again until a lost write cannot happen any more', () => {
    const undecided = { is: 'undecided', afterMs: PROBE_AGAIN_MS };
    expect(conclude({ settlingMs: SETTLED_MS - 1 }, {})).toEqual(undecided);
    expect(conclude({ settlingMs: SETTLED_MS }, { settledMs: SETTLED_MS + 1 })).toEqual(undecided);
    expect(conclude({ settlingMs: SETTLED_MS }, {})).toEqual({ is: 'not_executed', after, stepResult: resend(1) });
  });

  it('is sent so many times at most', () => {
    const outcomes = Array.from({ length: MAX_SENDS }, (_, sends) => conclude({ settlingMs: SETTLED_MS }, { sends }));
    expect(outcomes.slice(0, -1).map(({ is }) => is)).toEqual(Array(MAX_SENDS - 1).fill('not_executed'));
    expect(outcomes.at(-1)).toEqual({ after, ...lost(MAX_SENDS) });
  });

  it('is never sent again to a device that is not as it was before', () => {
    expect(conclude({ settlingMs: SETTLED_MS }, { asBefore: false })).toEqual({ after, ...lost(1) });
    expect(conclude({ answer: {} }, { asBefore: false })).toEqual({ after, ...lost(1) });
  });
});
