import { type AnsweredDevice } from './answer-fields.js';

/* The order of the rows of answers, as the address says it. Pure. */

/** The column of the devices themselves: no field of a router has this name. */
export const BY_DEVICE = 'device name';

/** @param sort the name of a field, or `BY_DEVICE`; with `-` before it, the last first */
export function sortedAnswers(devices: readonly AnsweredDevice[], sort = BY_DEVICE): readonly AnsweredDevice[] {
  const { field, sign } = orderOf(sort);
  const textOf = ({ name, values }: AnsweredDevice) => (field === BY_DEVICE ? name : values.get(field));
  return devices.toSorted((one, other) => {
    const [a, b] = [textOf(one), textOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return sign * compared(a, b);
  });
}

/** Numbers by their amount, also below zero; texts as a person orders them. */
function compared(one: string, other: string): number {
  const [a, b] = [Number(one), Number(other)];
  const areNumbers = one.trim() !== '' && other.trim() !== '' && !Number.isNaN(a) && !Number.isNaN(b);
  return areNumbers ? a - b : one.localeCompare(other, 'en', { numeric: true });
}

const orderOf = (sort: string) =>
  sort.startsWith('-') ? { field: sort.slice(1), sign: -1 } : ({ field: sort, sign: 1 } as const);

/** How a column is sorted now, and what the address says after its title is pressed. */
export function columnOrder(
  sort: string | undefined,
  field: string,
): { readonly direction: 'ascending' | 'descending' | 'none'; readonly next: string } {
  if ((sort ?? BY_DEVICE) === field) return { direction: 'ascending', next: `-${field}` };
  return { direction: sort === `-${field}` ? 'descending' : 'none', next: field };
}
