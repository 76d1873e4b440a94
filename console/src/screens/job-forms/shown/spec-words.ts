import { type Field, type Fields, isSpec, type Spec } from '../fields.js';
import { fieldsOf, isJobKind } from '../job-fields.js';

/* The parameters of a job in the words of its form, for people who did not fill it in. */

export type Line = readonly [label: string, text: string];

/** What a job was given, a line for each parameter; what a form does not know is shown as the API names it. */
export function specWords(kind: string, spec: unknown): readonly Line[] {
  if (!isSpec(spec)) return [];
  return isJobKind(kind) ? linesOf(fieldsOf(kind), spec) : otherLines({}, spec);
}

function linesOf(fields: Fields, spec: Spec): readonly Line[] {
  const known = Object.entries(fields).flatMap(([name, field]) => lineOf(field, spec[name], spec));
  return [...known, ...otherLines(fields, spec)];
}

const otherLines = (fields: Fields, spec: Spec): readonly Line[] =>
  Object.entries(spec)
    .filter(([name]) => !(name in fields))
    .map(([name, value]) => [name.replaceAll('_', ' '), plainText(value)]);

function lineOf(field: Field, value: unknown, spec: Spec): readonly Line[] {
  if (field.is === 'firmware')
    return [[field.label, spec['source'] === 'vendor' ? 'The newest of the vendor' : 'A stored image']];
  const isUsual = 'preset' in field && value === field.preset;
  const isEmpty = value === undefined || value === '' || (typeof value === 'object' && isNothing(value));
  if (isEmpty || isUsual || field.is === 'with-another') return [];
  if (field.is === 'group' && isSpec(value))
    return linesOf(field.of, value).map(([label, text]) => [`${field.label}: ${label}`, text]);
  return [[field.label, textOf(field, value)]];
}

const isNothing = (value: object | null): boolean => value !== null && Object.keys(value).length === 0;

function textOf(field: Field, value: unknown): string {
  switch (field.is) {
    case 'choice':
      return field.options.find(([one]) => one === value)?.[1] ?? plainText(value);
    case 'check':
      return value === field.on ? 'yes' : 'no';
    case 'number':
      return value === null ? 'any' : plainText(value);
    case 'sealed':
      return 'sealed in the gateway';
    case 'artifact':
      return 'a stored file';
    case 'pairs':
      return isSpec(value) ? pairsText(value) : plainText(value);
    case 'list':
      return Array.isArray(value) ? value.map((one) => itemText(field.of, one)).join('; ') : plainText(value);
    case 'changes':
      return Array.isArray(value) ? value.map(changeText).join('; ') : plainText(value);
    default:
      return plainText(value);
  }
}

const pairsText = (pairs: Spec): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} = ${plainText(value) || 'nothing'}`)
    .join(', ');

function itemText(fields: Fields, item: unknown): string {
  if (!isSpec(item)) return plainText(item);
  const [first, ...rest] = linesOf(fields, item);
  const more = rest.map(([label, text]) => `${label.toLowerCase()}: ${text}`).join(', ');
  return `${first?.[1] ?? ''}${more && ` (${more})`}`;
}

const VERBS: Readonly<Record<string, string>> = { create: 'Add to', update: 'Change', delete: 'Remove' };

/** `Change /api/ntp/global: interval = 7200`. */
function changeText(change: unknown): string {
  if (!isSpec(change)) return plainText(change);
  const { action, path, data, sealed } = change;
  const secrets = Array.isArray(sealed) ? sealed.map((one) => `${plainText((one as Spec)['option'])} = a secret`) : [];
  const options = [isSpec(data) ? pairsText(data) : '', ...secrets].filter(Boolean).join(', ');
  return `${VERBS[String(action)] ?? String(action)} ${plainText(path)}${options && `: ${options}`}`;
}

function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
