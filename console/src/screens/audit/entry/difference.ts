/* The difference of two values by paths, such as `/tags/0`. */

export interface Change {
  readonly path: string;
  /** Absent: there was nothing at this path. */
  readonly before?: unknown;
  /** Absent: there is nothing at this path any more. */
  readonly after?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The leaves that differ, in the order of the fields. Lists are compared place by place. */
export function differences(before: unknown, after: unknown, path = ''): Change[] {
  if (before === after) return [];
  if (isFields(before) && isFields(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], `${path}/${name}`));
  }
  return [{ path: path || '/', before, after }];
}
