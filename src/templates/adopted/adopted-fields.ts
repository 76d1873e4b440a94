import { FIELDS_MAX } from '../../devices/registry/device-fields.js';
import { type TemplateItem } from '../desired/template-item.js';

/** An option that differs from device to device. */
export interface DifferingOption {
  readonly path: string;
  readonly key: TemplateItem['key'];
  readonly option: string;
}

/** The custom field of an option, with the value of each device. */
export interface AdoptedField extends DifferingOption {
  readonly field: string;
  readonly values: readonly string[];
}

/** The longest key of a field, less a number behind it. */
const NAME_MAX = 36;

/** The custom fields that an adoption needs. An installation has a number of them, and a description says what each is for. */
export class AdoptedFields {
  private readonly added: AdoptedField[] = [];

  /** @param known descriptions of the fields that there are, by key */
  constructor(private readonly known: ReadonlyMap<string, string>) {}

  /** @returns the placeholder of the field; null: there may be no more fields */
  add(differing: DifferingOption, values: readonly string[]): string | null {
    const field = this.nameFor(differing);
    if (field === null) return null;
    this.added.push({ ...differing, field, values });
    return `{{field.${field}}}`;
  }

  /** The last one is of no use after all. */
  takeBack(): void {
    this.added.pop();
  }

  all(): readonly AdoptedField[] {
    return this.added;
  }

  /** A field of an earlier adoption of the same option is used again. */
  private nameFor(differing: DifferingOption): string | null {
    const base = baseName(differing);
    for (let number = 1; number <= FIELDS_MAX + 1; number++) {
      const name = number === 1 ? base : `${base}_${number}`;
      if (this.added.some(({ field }) => field === name)) continue;
      if (!this.known.has(name)) return this.isFull() ? null : name;
      if (this.known.get(name) === descriptionOf(differing)) return name;
    }
    return null;
  }

  private isFull(): boolean {
    const made = this.added.filter(({ field }) => !this.known.has(field));
    return this.known.size + made.length >= FIELDS_MAX;
  }
}

/** What the definition of a field says of it; a second adoption finds it by this. */
export const descriptionOf = ({ path, key, option }: DifferingOption): string =>
  `${option} of ${[path, ...Object.values(key)].join(' ')}, adopted from devices`.slice(0, 500);

/** Such as `interfaces_lan_ipaddr`. */
function baseName({ path, key, option }: DifferingOption): string {
  const service = path.replace('/api/', '').replace(/\/(?:config|global)$/, '');
  const words = [service, ...Object.values(key), option].join('_').toLowerCase();
  const name = words.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^[^a-z]+|_$/g, '');
  return name.length > NAME_MAX ? shortened(name) : name || 'value';
}

/** The end says more than the beginning. */
const shortened = (name: string): string => name.slice(-NAME_MAX).replace(/^[^a-z]+/, '') || 'value';
