/**
 * SQL that limits an instant of this process to `Clock.fromDatabaseMs` before or after the database's time.
 * @param instant an expression of type `timestamptz`
 * @param bound the number of the query parameter with `Clock.fromDatabaseMs`; null means no limit
 */
export function nearDatabase(instant: string, bound: number): string {
  const most = `$${bound}::float8 * interval '1 ms'`;
  // `least` and `greatest` ignore null.
  return `greatest(least(${instant}, clock_timestamp() + ${most}), clock_timestamp() - ${most})`;
}
