/*
 * The fields that were observed on devices, as `coverage.json` lists them: names by type, and objects by name. `[]` is each
 * item of a list, `[][]` each value of its rows, `*` each value of a map, and `name?` need not be there.
 */

export interface ObservedFields {
  readonly [typeOrName: string]: string | ObservedFields;
}

/** Whether a value has a type, by the word for it. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => value === '0' || value === '1',
  whole: Number.isInteger,
  number: (value) => typeof value === 'number',
  'N/A': (value) => value === 'N/A',
  'number or N/A': (value) => typeof value === 'number' || value === 'N/A',
  bool: (value) => typeof value === 'boolean',
  mac: (value) => typeof value === 'string' && /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(value),
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  numbers: (value) => Array.isArray(value) && value.every((item) => typeof item === 'number'),
  object: isRecord,
};

/** What is wrong with an answer: fields that are missing, have another type, or were never observed. */
export function differences(answer: unknown, fields: ObservedFields, at = ''): string[] {
  if (isListOf(fields)) return differencesOfItems(answer, fields, at);
  if (!isRecord(answer)) return [`${at} is no object`];
  const [types, objects] = [typesOf(fields), objectsOf(fields)];
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(answer)) {
    const type = types[name] ?? types[`${name}?`] ?? types['*'];
    const inner = objects[name] ?? objects[`${name}[]`] ?? objects['*'];
    if (type !== undefined && TYPES[type]!(value)) continue;
    if (inner !== undefined) wrong.push(...differencesInside(value, inner, `${at}.${name}`));
    else wrong.push(type === undefined ? `${at}.${name} was not observed` : `${at}.${name} is no ${type}`);
  }
  const needed = [...Object.keys(types), ...Object.keys(objects).map((name) => name.replace(/\[\]$/, ''))];
  const missing = needed.filter((name) => name !== '*' && !name.endsWith('?') && !(name in answer));
  return [...wrong, ...missing.map((name) => `${at}.${name} is missing`)];
}

const isListOf = (fields: ObservedFields): boolean =>
  '[]' in fields || ['[]', '[][]'].some((name) => name in typesOf(fields));

function differencesOfItems(answer: unknown, fields: ObservedFields, at: string): string[] {
  if (!Array.isArray(answer)) return [`${at} is no list`];
  const { '[]': item, '[][]': row } = typesOf(fields);
  if (item === undefined && row === undefined) return differencesInside(answer, fields['[]'] as ObservedFields, at);
  const isRight = (value: unknown) =>
    item === undefined ? Array.isArray(value) && value.every((one) => TYPES[row!]!(one)) : TYPES[item]!(value);
  return answer.every(isRight) ? [] : [`${at} has an item that is no ${item ?? `row of ${row!}`}`];
}

/** Each item of a list, or the object itself. An empty list is one where a device has none. */
function differencesInside(value: unknown, fields: ObservedFields, at: string): string[] {
  if (!Array.isArray(value)) return differences(value, fields, at);
  return value.flatMap((item, index) => differences(item, fields, `${at}[${index}]`));
}

/** The places of all fields that an answer holds, to see which ones no answer holds. */
export function placesOf(answer: unknown, fields: ObservedFields, at = ''): string[] {
  if (Array.isArray(answer)) {
    const inner = (fields['[]'] ?? fields) as ObservedFields;
    return answer.flatMap((item) => placesOf(item, inner, at));
  }
  if (!isRecord(answer)) return [];
  const [types, objects] = [typesOf(fields), objectsOf(fields)];
  return Object.entries(answer).flatMap(([name, value]) => {
    const known = [name, `${name}?`, `${name}[]`, '*'].find((one) => one in types || one in objects) ?? name;
    const inner = objects[known];
    const place = `${at}.${known}`;
    return inner === undefined || isEmpty(value) ? [place] : [place, ...placesOf(value, inner, place)];
  });
}

/** The places of all fields of a table. */
export function placesIn(fields: ObservedFields, at = ''): string[] {
  const own = Object.keys(typesOf(fields)).map((name) => `${at}.${name}`);
  const inner = Object.entries(objectsOf(fields)).flatMap(([name, value]) => {
    if (name === '[]') return placesIn(value, at);
    return placesIn(value, `${at}.${name}`);
  });
  return [...own, ...inner];
}

/** Types by name of a field. */
function typesOf(fields: ObservedFields): Record<string, string> {
  const named = Object.entries(fields).filter(([, names]) => typeof names === 'string') as [string, string][];
  return Object.fromEntries(named.flatMap(([type, names]) => names.split(' ').map((name) => [name, type])));
}

function objectsOf(fields: ObservedFields): Record<string, ObservedFields> {
  const inner = Object.entries(fields).filter(([, value]) => typeof value !== 'string');
  return Object.fromEntries(inner) as Record<string, ObservedFields>;
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
