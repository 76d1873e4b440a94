/* Measured values as texts; null where there is none. */

export const amountText = (value: number | null | undefined, unit: string): string | null =>
  value === null || value === undefined ? null : `${value.toLocaleString('en', { maximumFractionDigits: 0 })} ${unit}`;
