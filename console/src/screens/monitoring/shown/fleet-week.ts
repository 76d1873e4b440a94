/* The histories of some devices as one line: the mean of all, between the lowest and the highest. Pure. */

export interface WeekPoint {
  readonly at: string;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** @param histories of the same time, in the same parts @param from milliseconds @param stepSeconds of a part */
export function fleetWeek(
  histories: readonly { readonly points: readonly WeekPoint[] }[],
  from: number,
  stepSeconds: number,
): readonly WeekPoint[] {
  const parts = new Map<number, WeekPoint[]>();
  for (const point of histories.flatMap(({ points }) => points)) {
    const part = Math.floor((Date.parse(point.at) - from) / (1_000 * stepSeconds));
    parts.set(part, [...(parts.get(part) ?? []), point]);
  }
  return [...parts.keys()]
    .toSorted((a, b) => a - b)
    .map((part) => {
      const points = parts.get(part)!;
      return {
        at: new Date(from + part * stepSeconds * 1_000).toISOString(),
        min: Math.min(...points.map(({ min }) => min)),
        mean: points.reduce((sum, { mean }) => sum + mean, 0) / points.length,
        max: Math.max(...points.map(({ max }) => max)),
      };
    });
}
