export interface Value {
  readonly value: string;
  readonly devices: number;
}

/** The values in the order that they had before, each with its count of now, and new ones after them. Pure. */
export function inPlace<Of extends Value>(before: readonly Of[], now: readonly Of[]): readonly Of[] {
  const found = new Map(now.map((one) => [one.value, one]));
  const known = new Set(before.map(({ value }) => value));
  return [
    ...before.map((one) => found.get(one.value) ?? { ...one, devices: 0 }),
    ...now.filter(({ value }) => !known.has(value)),
  ];
}
