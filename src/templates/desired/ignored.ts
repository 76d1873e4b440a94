import { keyText, likenessOf, nameOf } from './normal-form.js';
import { type TemplateItem } from './template-item.js';

/*
 * Options that a person lets be on some devices for a time. They are compared and shown, and nothing is written to them: not in a
 * section that is to be made either, since the device may need another value there than the template says. Pure.
 */

/** Who lets an option be, why, and until when, as a text. */
export interface Ignored {
  readonly by: string;
  readonly reason: string;
  readonly until: string;
}

/** By the name of the option on a device. */
export type IgnoredNames = ReadonlyMap<string, Ignored>;

export const NONE_IGNORED: IgnoredNames = new Map();

export interface IgnoredOption extends Pick<TemplateItem, 'path' | 'key'> {
  readonly option: string;
}

/** Whether an item says an option of a section; a field that each device fills in is any value. */
export function isNamed({ path, key, option }: IgnoredOption, item: TemplateItem): boolean {
  const fields = Object.entries(item.key);
  return (
    item.path === path &&
    [...Object.keys(item.options), ...item.sealed.map((one) => one.option)].includes(option) &&
    fields.length === Object.keys(key).length &&
    fields.every(
      ([field, value]) =>
        Object.hasOwn(key, field) && (value.includes('{{') || likenessOf(value, key[field]) !== 'different'),
    )
  );
}

/**
 * What is ignored on a device. A key fits as the template has it, and with the values of the device.
 * @param options the later of two that name the same wins @param items of the template @param own the same for the device
 */
export function ignoredNames(
  options: readonly (IgnoredOption & Ignored)[],
  items: readonly TemplateItem[],
  own: readonly TemplateItem[],
): IgnoredNames {
  if (options.length === 0) return NONE_IGNORED;
  const names = new Map<string, Ignored>();
  for (const { path, key, option, by, reason, until } of options) {
    for (const [at, item] of own.entries()) {
      const isSame = [item, items[at]!].some((one) => keyText(one.key) === keyText(key));
      if (item.path === path && isSame) names.set(nameOf({ path, key: item.key, option }), { by, reason, until });
    }
  }
  return names;
}
