/*
 * How figures are taken. A machine that others use is slow at times, so the product and its baselines run in turn, each
 * round in another order, and a ratio is taken of neighbours: the median over the rounds is what counts.
 */

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** @param share 0 to 1; nearest rank */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs each way once per round, the first one last in the next round. Answers with the results of each, in the order of the rounds. */
export async function alternate<Name extends string, Result>(
  ways: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(ways) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(round + place) % names.length]!;
      results[name].push(await ways[name]());
    }
  }
  return results;
}

/** The median over the rounds of one figure divided by the other of the same round. */
export function ratio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / theirs[round]!));
}

/**
 * One figure divided by the other, each as in the quarter of its rounds that were least disturbed.
 * @param better `low` for times, `high` for rates: what else the machine does only makes times longer and rates lower
 */
export function undisturbedRatio(ours: readonly number[], theirs: readonly number[], better: 'low' | 'high'): number {
  const share = better === 'low' ? 0.25 : 0.75;
  return percentile(ours, share) / percentile(theirs, share);
}

/** The median over the rounds of one figure less the other of the same round. */
export function difference(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value - theirs[round]!));
}
