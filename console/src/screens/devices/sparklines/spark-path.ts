/** Space above and below the line, so that its stroke is not cut. */
const EDGE = 2;

/**
 * The line of a small chart as an SVG path, broken where there is no value; a single value is a short dash.
 * @param points of equal steps, the oldest first
 */
export function sparkPath(points: readonly (number | null)[], width: number, height: number): string {
  const known = points.flatMap((point) => point ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const stepPx = width / points.length;
  const yOf = (value: number) =>
    high === low ? height / 2 : EDGE + ((high - value) / (high - low)) * (height - 2 * EDGE);
  return points
    .map((point, index) => {
      if (point === null) return '';
      const x = ((index + 0.5) * stepPx).toFixed(1);
      const y = yOf(point).toFixed(1);
      if (typeof points[index - 1] === 'number') return `L${x} ${y}`;
      return typeof points[index + 1] === 'number'
        ? `M${x} ${y}`
        : `M${(index * stepPx).toFixed(1)} ${y}h${stepPx.toFixed(1)}`;
    })
    .join('');
}
