/* The states of a device over time, from the observations of the gateway. */

export interface Span {
  readonly state: string;
  /** In milliseconds, as `ms`. */
  readonly from: number;
  readonly ms: number;
}

interface Observation {
  readonly at: string;
  readonly field: string;
  readonly before: string | null;
}

interface Range {
  /** The state at `to`. */
  readonly state: string;
  readonly from: number;
  readonly to: number;
  /** Older observations were not read: nothing is known of the time before the oldest one. */
  readonly isCut: boolean;
}

/** The states within a range, the earliest first. @param observations the newest first, of any field */
export function spansOf(observations: readonly Observation[], { state, from, to, isCut }: Range): readonly Span[] {
  const spans: Span[] = [];
  let [end, current] = [to, state];
  for (const { at, field, before } of observations) {
    if (field !== 'state' || end <= from) continue;
    const begun = Math.max(from, Math.min(end, new Date(at).getTime()));
    if (end > begun) spans.unshift({ state: current, from: begun, ms: end - begun });
    end = begun;
    current = before ?? 'new';
  }
  if (!isCut && end > from) spans.unshift({ state: current, from, ms: end - from });
  return spans;
}
