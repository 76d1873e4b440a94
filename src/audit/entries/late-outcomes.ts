import { isWrongValue } from '../../platform/wrong-value.js';

/** Outcomes that the database did not take: they are known here, and nowhere else. */
export class LateOutcomes<Row> {
  private rows: Row[] = [];

  /** @param most rows; the sweeper of open entries closes the other ones as `unknown` */
  constructor(private readonly most: number) {}

  /** @returns whether there was room */
  add(row: Row): boolean {
    if (this.rows.length >= this.most) return false;
    this.rows.push(row);
    return true;
  }

  /**
   * Writes all. What the database cannot take now stays; a row with a value that it refuses does not.
   * @returns how many were written
   * @throws what the first of those that stay met
   */
  async write(insert: (row: Row) => Promise<void>): Promise<number> {
    const rows = this.rows.splice(0);
    const written = await Promise.allSettled(rows.map(insert));
    const failed = written.map((one) => (one.status === 'rejected' && !isWrongValue(one.reason) ? one : null));
    this.rows.push(...rows.filter((_row, index) => failed[index] !== null));
    const first = failed.find((one) => one !== null);
    if (first) throw first.reason;
    return written.filter(({ status }) => status === 'fulfilled').length;
  }
}
