/**
 * An instant of this process, in SQL, but not further from the clock of the database than `Clock.fromDatabaseMs` says.
 * @param instant an expression of type `timestamptz`
 * @param bound the number of the value that is `Clock.fromDatabaseMs`; null does not bound it
 */
export function nearDatabase(instant: string, bound: number): string {
  const most = `$${bound}::float8 * interval '1 ms'`;
  // `least` and `greatest` pass over null.
  return `greatest(least(${instant}, clock_timestamp() + ${most}), clock_timestamp() - ${most})`;
}
