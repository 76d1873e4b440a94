/** Clocks of processes differ by less, and a time that a statement sets is a moment ahead. */
const TOLERATED_S = 60;

/**
 * After the database's clock was set back, due times of before are ahead by as much. This takes them back by whole intervals, so that
 * none waits for longer than its own, and a fleet stays spread over its interval.
 * @param seconds SQL of the interval; $1 is the present time
 */
export const withinInterval = (table: string, dueAt: string, seconds: string): string => `
  update ${table} set ${dueAt} = ${dueAt} - floor(extract(epoch from ${dueAt} - $1::timestamptz) / ${seconds}) * ${seconds} * interval '1 second'
   where ${dueAt} > $1::timestamptz + (${seconds} + ${TOLERATED_S}) * interval '1 second' and ${dueAt} < 'infinity'`;
