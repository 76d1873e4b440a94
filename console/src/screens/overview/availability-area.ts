/* The area of devices that were online, over the instants of an answer. Pure. */

export interface AvailabilityPoint {
  readonly at: string;
  readonly devices: number;
  readonly online: number;
}

export const [AREA_WIDTH, AREA_HEIGHT] = [480, 100];

/** Devices at the upper edge: a little above the most of them. */
export const topOf = (points: readonly AvailabilityPoint[]): number =>
  Math.max(1, ...points.map(({ devices }) => devices));

/** The outline of an SVG path, from the lower left to the lower right corner. */
export function areaPath(points: readonly AvailabilityPoint[], of: 'devices' | 'online'): string {
  const top = topOf(points);
  const xOf = (index: number) => (points.length < 2 ? 0 : (index / (points.length - 1)) * AREA_WIDTH);
  const line = points.map(
    (point, index) => `L${xOf(index).toFixed(1)} ${(AREA_HEIGHT * (1 - point[of] / top)).toFixed(1)}`,
  );
  return `M0 ${AREA_HEIGHT}${line.join('')}L${AREA_WIDTH} ${AREA_HEIGHT}Z`;
}

/** The mean share of devices online; null where none was checked. */
export function meanShare(points: readonly AvailabilityPoint[]): number | null {
  const shares = points.filter(({ devices }) => devices > 0).map(({ devices, online }) => online / devices);
  return shares.length === 0 ? null : shares.reduce((sum, one) => sum + one, 0) / shares.length;
}
