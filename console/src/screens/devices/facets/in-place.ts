export interface Value {
  readonly value: string;
  readonly devices: number;
}

/** The values in the order that they had before, each with its count of now, and new ones after them. Pure. */
export function inPlace(before: readonly Value[], now: readonly Value[]): readonly Value[] {
  const counts = new Map(now.map(({ value, devices }) => [value, devices]));
  const known = new Set(before.map(({ value }) => value));
  return [
    ...before.map(({ value }) => ({ value, devices: counts.get(value) ?? 0 })),
    ...now.filter(({ value }) => !known.has(value)),
  ];
}
