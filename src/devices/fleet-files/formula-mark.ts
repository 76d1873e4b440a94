/*
 * A spreadsheet runs a cell that begins like a formula, so an export puts an apostrophe in front of it. It puts one in
 * front of apostrophes before such a beginning, too, so that an import can take exactly one away again. Pure.
 */

const NEEDS_MARK = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const HAS_MARK = /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

export const markFormula = (cell: string): string => (NEEDS_MARK.test(cell) ? `'${cell}` : cell);

export const unmarkFormula = (cell: string): string => (HAS_MARK.test(cell) ? cell.slice(1) : cell);
