/*
 * What a line of cron may say. The library reads more: `H` is another minute at each reading, and `L`, `W`, `#`, `?` and
 * `@daily` differ between programs. So each field is checked as it is written. Pure; docs/reference/rollouts.md lists the
 * forms.
 */

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Three letters for the numbers from `min` on. */
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  // 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS },
];

const DAY = 2;
const WEEKDAY = 4;

/** A field cannot hold more: 60 minutes, each with its comma. */
const FIELD_LENGTH_MAX = 180;

/** Each field is a list of `*`, numbers and ranges; `*` and ranges may have a step. @returns why it is none, or null */
export function cronProblem(text: string): string | null {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    return `five fields are needed, and ${text.trim() === '' ? 0 : parts.length} given`;
  for (const [at, part] of parts.entries()) {
    const why = fieldProblem(part, FIELDS[at]!);
    if (why !== null) return `field ${at + 1} (${FIELDS[at]!.name}): ${why}`;
  }
  const isStep = (at: number) => parts[at]!.startsWith('*/');
  // Programs differ: a step of all days is a restriction for some and none for others.
  if ((isStep(DAY) && parts[WEEKDAY] !== '*') || (isStep(WEEKDAY) && parts[DAY] !== '*'))
    return 'fields 3 and 5: with both days given, write days and not a step of all';
  return null;
}

function fieldProblem(text: string, field: Field): string | null {
  if (text.length > FIELD_LENGTH_MAX) return `longer than ${FIELD_LENGTH_MAX} characters`;
  const taken = new Set<number>();
  for (const item of text.split(',')) {
    const numbers = numbersOf(item, field);
    if (typeof numbers === 'string') return numbers;
    const twice = numbers.find((number) => taken.has(number));
    if (twice !== undefined) return `${twice} is given twice`;
    for (const number of numbers) taken.add(number);
  }
  return null;
}

/** @returns the numbers that an item of a list means, 0 for a Sunday; or why it is none */
function numbersOf(item: string, field: Field): number[] | string {
  const [, first, last, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,2}))?$/.exec(item) ?? [];
  const { min, max } = field;
  const isAll = first === '*';
  const from = isAll ? min : numberOf(first, field);
  const single = step === undefined ? from : null;
  const to = isAll ? max : last === undefined ? single : numberOf(last, field);
  if (first === undefined || from === null || (isAll && last !== undefined))
    return `"${item}" is none of ${formsOf(field)}`;
  if (to === null)
    return last === undefined
      ? `"${item}" has a step without a range: ${from}-${max}/${step}?`
      : `"${item}" is none of ${formsOf(field)}`;
  if (to < from) return `"${item}" goes backwards: write two ranges, as in ${from}-${max},${min}-${to}`;
  const every = Number(step ?? 1);
  if (every === 0 || (step !== undefined && every > to - from))
    return `"${item}" has a step that is 0 or beyond its range`;
  const numbers: number[] = [];
  for (let number = from; number <= to; number += every) numbers.push(number);
  // `*` has Sunday once, and so may 0-7.
  const days = field.max === 7 ? numbers.map((number) => number % 7) : numbers;
  return [...new Set(days)];
}

function numberOf(text: string | undefined, { min, max, names }: Field): number | null {
  if (text === undefined) return null;
  const at = names?.indexOf(text.toLowerCase()) ?? -1;
  if (at >= 0) return at + min;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return number >= min && number <= max ? number : null;
}

const formsOf = ({ min, max, names }: Field): string =>
  `*, ${min} to ${max}${names ? `, ${names[0]} to ${names.at(-1)}` : ''}, a range, a step of a range`;
