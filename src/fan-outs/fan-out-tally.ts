import { noCounts, type FanOutPolicy, type ResultLine, type SummaryLine } from './fan-outs.contract.js';

/** The most answers in the summary. */
const ANSWERS_MAX = 20;

/** The most different answers that are sent once; beyond it bodies are sent again. */
const DIGESTS_MAX = 10_000;

/** Counts the lines of a fan-out and decides when too many failed. Pure. */
export class Tally {
  private readonly counts = { ...noCounts(), would_call: 0 };
  private readonly digests = new Map<string, number>();

  constructor(private readonly policy: FanOutPolicy) {}

  /** Counts a line. @returns whether to send its body */
  add({ outcome, digest }: Pick<ResultLine, 'outcome' | 'digest'>): boolean {
    this.counts[outcome]++;
    if (digest === undefined) return false;
    const before = this.digests.get(digest) ?? 0;
    if (before > 0 || this.digests.size < DIGESTS_MAX) this.digests.set(digest, before + 1);
    return this.policy.bodies === 'all' || (this.policy.bodies === 'first' && before === 0);
  }

  /** Why no more calls may start; null while they may. */
  stopReason(): string | null {
    const { stopAfter } = this.policy;
    if (!stopAfter) return null;
    const { succeeded, failed, unreachable, unknown } = this.counts;
    const unsuccessful = failed + unreachable + unknown;
    const ended = succeeded + unsuccessful;
    if (stopAfter.failures !== undefined && unsuccessful >= stopAfter.failures)
      return `${unsuccessful} devices did not succeed`;
    if (
      stopAfter.percent !== undefined &&
      ended >= stopAfter.minimum &&
      (unsuccessful / ended) * 100 >= stopAfter.percent
    ) {
      return `${unsuccessful} of ${ended} devices did not succeed`;
    }
    return null;
  }

  summary(stopped: string | null, ms: number): Omit<SummaryLine, 'operationId'> {
    const answers = [...this.digests]
      .map(([digest, count]) => ({ digest, count }))
      .sort((one, other) => other.count - one.count)
      .slice(0, ANSWERS_MAX);
    const total = Object.values(this.counts).reduce((sum, count) => sum + count, 0);
    return { type: 'summary', total, counts: { ...this.counts }, answers, stopped, ms };
  }
}
