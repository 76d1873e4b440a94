import { unmarked } from '../../../../src/api-client/problem-words.js';
import { type Field, type Fields } from './fields.js';

/* What the gateway said about the parameters of a job, by the place of each field in them. */

/** Where a field is in the parameters, such as `accounts`, `0`, `username`. */
export type Place = readonly string[];

interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** The place that a pointer names; null: it is not about the parameters. `/rollout/spec/days` is one of a schedule. */
function placeOf(pointer: string): Place | null {
  const [, ...names] = pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = names.indexOf('spec');
  return at === -1 ? null : names.slice(at + 1);
}

/** What was refused at a place or below it; null: nothing. */
export function refusedAt(errors: readonly FieldError[], place: Place): string | null {
  const found = errors.find(({ pointer }) => {
    const at = placeOf(pointer);
    return at !== null && place.length > 0 && place.every((name, index) => at[index] === name);
  });
  return found ? unmarked(found.detail) : null;
}

/** Whether a pointer names a field that shows its error itself. */
export function isPlaced(fields: Fields, pointer: string): boolean {
  const place = placeOf(pointer);
  return place !== null && isFieldAt(fields, place);
}

function isFieldAt(fields: Fields, [name, ...rest]: Place): boolean {
  const field: Field | undefined = name === undefined ? undefined : fields[name];
  if (!field || field.is === 'with-another') return false;
  if (field.is === 'group') return isFieldAt(field.of, rest);
  if (field.is === 'list') return isFieldAt(field.of, rest.slice(1));
  return field.is === 'changes' ? rest.length > 1 : true;
}
