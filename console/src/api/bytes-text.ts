const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in its largest decimal unit, such as `1.6 MB`. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
