/*
 * A spreadsheet executes a cell that begins like a formula, so an export adds an apostrophe before it. It adds one
 * before apostrophes that precede such a beginning, too, so that an import can always remove exactly one. A name that begins with
 * `#` gets one as well: its row would be a comment. Pure.
 */

const NEEDS_MARK = /^'*[=+\-@#\t\r\uff1d\uff0b\uff0d\uff20]/;
const HAS_MARK = /^'+[=+\-@#\t\r\uff1d\uff0b\uff0d\uff20]/;

export const markFormula = (cell: string): string => (NEEDS_MARK.test(cell) ? `'${cell}` : cell);

export const unmarkFormula = (cell: string): string => (HAS_MARK.test(cell) ? cell.slice(1) : cell);
