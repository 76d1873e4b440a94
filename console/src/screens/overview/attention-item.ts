/* One thing that needs a person, with its reason and the one action that helps. */

/** The order of all that needs a person, as their marks are coloured: red, purple, amber. */
export const RANKS = { unknown: 0, broken: 1, untrusted: 2, warning: 3, decision: 4 } as const;

export interface Attention {
  readonly id: string;
  /** Worst first. */
  readonly rank: number;
  readonly state: string;
  readonly what: string;
  /** The device whose name follows `what`. */
  readonly deviceId?: string;
  readonly why: string;
  /** The screen where it is mended. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly action: string;
  /** When it last became worse: of equal ranks the newest is first. */
  readonly at?: string | undefined;
  /** Since when it is so. */
  readonly since?: string;
  /** The alerts behind it, which a person can mute. */
  readonly alerts?: readonly { readonly deviceId: string; readonly ruleId: string; readonly ruleName: string }[];
}

/** Rows by a key, in the order in which the keys came first. */
export function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
