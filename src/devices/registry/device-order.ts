/*
 * The orders of the list of devices. The key of a row is a text that a cursor can hold: text of at most 120 characters, or
 * an instant. The id follows each key, so that equal keys have an order. Pure.
 */

interface SortKey {
  /** Never null. */
  readonly sql: string;
  readonly type: 'text' | 'timestamptz';
}

const KEYS = {
  createdAt: { sql: 'device.created_at', type: 'timestamptz' },
  name: { sql: 'lower(device.name)', type: 'text' },
  site: { sql: 'device.site', type: 'text' },
  state: { sql: 'device.state', type: 'text' },
  model: { sql: `left(lower(coalesce(device.model, '')), 120)`, type: 'text' },
  firmware: { sql: `left(lower(coalesce(device.firmware, '')), 120)`, type: 'text' },
  seenAt: { sql: `coalesce(device.seen_at, 'epoch'::timestamptz)`, type: 'timestamptz' },
  updatedAt: { sql: 'device.updated_at', type: 'timestamptz' },
} as const satisfies Record<string, SortKey>;

type SortField = keyof typeof KEYS;
export type DeviceSort = SortField | `-${SortField}`;

const FIELDS = Object.keys(KEYS) as SortField[];

/** Each field, and each with `-` before it for the opposite direction. */
export const DEVICE_SORTS = FIELDS.flatMap((field): DeviceSort[] => [field, `-${field}`]);

export interface DeviceOrder {
  /** The name of the list in its cursors: a cursor of another order is refused. */
  readonly list: string;
  readonly type: SortKey['type'];
  /** The key of a row as text. */
  readonly textSql: string;
  /** SQL after `order by`. */
  readonly orderSql: string;
  /** A condition for the rows after a key and an id, both given as parameters. */
  afterSql(key: string, id: string): string;
}

export function orderOf(sort: DeviceSort): DeviceOrder {
  const isDescending = sort.startsWith('-');
  const { sql, type }: SortKey = KEYS[(isDescending ? sort.slice(1) : sort) as SortField]; // only `-` precedes a field
  const direction = isDescending ? ' desc' : '';
  return {
    list: sort === 'createdAt' ? 'devices' : `devices ${sort}`,
    type,
    // Instants are stored with milliseconds, so the text is exact.
    textSql: type === 'text' ? sql : `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    orderSql: `${sql}${direction}, device.id${direction}`,
    afterSql: (key, id) => `(${sql}, device.id) ${isDescending ? '<' : '>'} (${key}::${type}, ${id}::uuid)`,
  };
}
