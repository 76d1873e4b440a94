/*
 * Configuration services: one create/read/update/delete pattern for all of them (specification, What the service does 4).
 * A service is a declaration (below) and no code of its own; `declarations.ts` holds those that every device has, and a fleet
 * file can add more. Sections are made from their declaration on first use, so an untouched device costs nothing.
 */
import { CERTIFICATE_DIRECTORY, type DeviceError } from '../../device-api/contract.js';
import { wireguardKeys } from './certificates.js';
import { refusedText, DeviceRefusal, requireIn } from './exchange.js';
import type { Random } from './random.js';
import {
  isDeprecated,
  isLater,
  type DeviceFeature,
  type OptionRule,
  type ServiceDeclaration,
} from './service-declaration.js';

export type Section = Record<string, string | string[]> & { id: string; '.type': string };

/** A service as addressed by one path: its declaration and, for a nested one, whose sections they are. */
export interface ServiceAddress {
  readonly declaration: ServiceDeclaration;
  /** Key of the stored sections: the path with the parent's id in it. */
  readonly key: string;
  /** The version of the API that is asked for; absent: versions do not differ. */
  readonly version?: number | undefined;
  readonly parent?: { readonly key: string; readonly id: string };
}

export interface SectionChange {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const ID = /^[A-Za-z0-9_-]{1,32}$/;
const IPV4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const wholeNumber = (text: string, min: number, max: number): boolean =>
  /^-?\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;

const CHECKS: Record<OptionRule['type'], (text: string, rule: OptionRule) => boolean> = {
  text: (text, { min = 0, max = 4096 }) => text.length >= min && text.length <= max,
  flag: (text) => text === '0' || text === '1',
  integer: (text, { min = 0, max = 2 ** 31 - 1 }) => wholeNumber(text, min, max),
  port: (text) => wholeNumber(text, 1, 65_535),
  ipv4: (text) => IPV4.test(text),
  cidr: (text) => {
    const [address = '', prefix = '', ...rest] = text.split('/');
    return rest.length === 0 && IPV4.test(address) && wholeNumber(prefix, 0, 32);
  },
  host: (text) => /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(text),
  mac: (text) => /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/.test(text),
  enum: (text, { values = [] }) => values.includes(text),
  file: (text) => text === '' || text.startsWith('/'),
  key: (text) => /^[A-Za-z0-9+/]{43}=$/.test(text),
};

type Fact = 'serial' | 'mac' | 'name' | 'modem' | 'secondModem' | 'service' | 'lan' | 'lanNetwork' | 'banner';

export interface ConfigurationOwner {
  readonly random: Random;
  readonly facts: Readonly<Record<Fact, string>>;
  readonly has: Readonly<Record<DeviceFeature, boolean>>;
  /** Whether a file that an option refers to is on the device. */
  hasFile(path: string): boolean;
  /** The size of an uploaded file in bytes; 0 when it is not there. */
  fileSize(path: string): number;
  /** Seconds since 1970. */
  now(): number;
}

export class Configuration {
  private services = new Map<string, Section[]>();
  /** Services whose stored configuration cannot be read: a restored archive held something else. */
  private readonly damaged = new Map<string, string>();
  /** When sections were switched on, in seconds since 1970; those of a restored archive are not known. */
  private readonly switchedOn = new Map<string, number>();
  private made = 0;

  constructor(
    private readonly owner: ConfigurationOwner,
    private readonly declarations: ReadonlyMap<string, ServiceDeclaration>,
  ) {}

  /** The sections of a service that was used; none are made. */
  peek(key: string): readonly Section[] {
    return this.services.get(key) ?? [];
  }

  /** A copy of the sections: an answer must not change with what comes later. */
  list(address: ServiceAddress): Section[] {
    const { parent } = address;
    // The cards of all modems are stored together.
    const isHere = ({ modem }: Section) => parent?.key !== 'modems' || modem === undefined || modem === parent.id;
    return this.stored(address, 104)
      .filter(isHere)
      .map((section) => this.shown(address, section));
  }

  /** When a section was switched on, in seconds since 1970; 0 when that is not known. */
  switchedOnAt({ key }: ServiceAddress, id: string): number {
    return this.switchedOn.get(`${key}/${id}`) ?? 0;
  }

  get(address: ServiceAddress, id: string): Section {
    return this.shown(address, requireIn(this.stored(address, 104), 'id', id));
  }

  /** @throws Refused 103, 106, 108, 109, 110, 115, 117 */
  create(address: ServiceAddress, data: Readonly<Record<string, unknown>>): Section {
    const { declaration } = address;
    if (!declaration.creatable) throw new DeviceRefusal(108, { source: declaration.path });
    const input = supported(address, data);
    const sections = this.stored(address, 117);
    const id = this.newId(declaration, input['id']);
    if (sections.some((section) => section.id === id)) throw new DeviceRefusal(109, { source: 'id', value: id });
    if (sections.length >= declaration.maxSections) {
      throw new DeviceRefusal(106, { error: `At most ${declaration.maxSections} sections`, source: declaration.path });
    }
    this.check(address, input, id, null);
    const section = this.withDefaults(declaration, id, input);
    this.applicable(declaration, sections, section);
    sections.push(section);
    this.noteSwitch(address, undefined, section);
    return this.shown(address, section);
  }

  /** Changes several sections or none. @throws Refused 103, 113, 115, 117 */
  update(address: ServiceAddress, changes: readonly SectionChange[]): Section[] {
    const sections = this.stored(address, 117);
    const changed = changes.map(({ id, data }) => {
      const section = requireIn(sections, 'id', id);
      const input = supported(address, data);
      this.check(address, input, id, section);
      return this.merged(section, { ...inversesOf(address.declaration, input), ...input });
    });
    const after = alone(address.declaration, sections, changed);
    for (const section of changed) this.applicable(address.declaration, after, section);
    for (const section of changed) this.noteSwitch(address, requireIn(sections, 'id', section.id), section);
    this.services.set(address.key, after);
    return changed.map((section) => this.shown(address, section));
  }

  /** Removes several sections or none. @throws Refused 105, 111, 113, 117 */
  remove(address: ServiceAddress, ids: readonly string[]): void {
    const { declaration, key } = address;
    if (!declaration.deletable) throw new DeviceRefusal(111, { source: declaration.path });
    const sections = this.stored(address, 117);
    for (const id of ids) {
      requireIn(sections, 'id', id);
      if (declaration.permanent.includes(id)) {
        throw new DeviceRefusal(105, { error: 'The device needs this section', source: declaration.path, section: id });
      }
    }
    this.services.set(
      key,
      sections.filter(({ id }) => !ids.includes(id)),
    );
    for (const id of ids)
      for (const nested of this.services.keys()) if (nested.startsWith(`${key}/${id}/`)) this.services.delete(nested);
  }

  /** The one section of a single-record service. */
  record(address: ServiceAddress): Section {
    return this.get(address, this.stored(address, 104)[0]?.id ?? '');
  }

  updateRecord(address: ServiceAddress, data: SectionChange['data']): Section {
    return this.update(address, [{ id: this.stored(address, 117)[0]?.id ?? '', data }])[0]!;
  }

  /** Everything, as a backup holds it: one text per service. */
  export(): Map<string, string> {
    for (const declaration of this.declarations.values()) {
      if (!declaration.path.includes('{') && declaration.initial.length > 0) {
        this.sections({ declaration, key: declaration.path });
      }
    }
    return this.touched();
  }

  /** Takes the place of everything; a text that is not a list of sections damages its service, as on a real device. */
  restore(texts: ReadonlyMap<string, string>): void {
    this.services = new Map();
    this.damaged.clear();
    for (const [key, text] of texts) {
      const sections = readSections(text);
      if (sections) this.services.set(key, sections);
      else this.damaged.set(key, text);
    }
  }

  /** Only the services that were ever used, for the state directory. */
  touched(): Map<string, string> {
    const texts = new Map(this.damaged);
    for (const [key, sections] of this.services) if (!texts.has(key)) texts.set(key, JSON.stringify(sections, null, 1));
    return texts;
  }

  /** What is stored of a service cannot be read any more: 104 on reads, 117 on writes, until a restore or a reset. */
  damage(key: string): void {
    this.damaged.set(key, 'damaged');
  }

  reset(): void {
    this.restore(new Map());
  }

  private sections({ declaration, key, parent }: ServiceAddress): Section[] {
    let sections = this.services.get(key);
    if (!sections) {
      const here = declaration.initial.filter(
        ({ needs }) => needs === undefined || this.owner.has[needs as DeviceFeature],
      );
      sections = here.map(({ needs: _needs, ...values }) => this.initial(declaration, values, parent?.id ?? ''));
      this.services.set(key, sections);
    }
    return sections;
  }

  private initial(declaration: ServiceDeclaration, values: Record<string, string | string[]>, parent: string): Section {
    const facts: Readonly<Record<string, string>> = { ...this.owner.facts, parent };
    const text = (value: string): string => value.replace(/\{(\w+)\}/g, (all, fact: string) => facts[fact] ?? all);
    const own = Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(text) : text(value),
    ]);
    const input = Object.fromEntries(own) as Record<string, string | string[]>;
    return this.withDefaults(declaration, String(input['id']), input);
  }

  /** @param damaged the code for what cannot be read: 104 on reads, 117 on writes */
  private stored(address: ServiceAddress, damaged: 104 | 117): Section[] {
    const { parent, key } = address;
    const declaration = parent && this.declarations.get(parent.key);
    if (declaration) requireIn(this.sections({ declaration, key: parent.key }), 'id', parent.id);
    // Modems are no sections, and yet have services of their own.
    else if (parent?.key === 'modems' && ![this.owner.facts.modem, this.owner.facts.secondModem].includes(parent.id))
      throw new DeviceRefusal(113, { source: 'modem' });
    if (this.damaged.has(key)) throw new DeviceRefusal(damaged, { source: address.declaration.path });
    return this.sections(address);
  }

  private noteSwitch({ key }: ServiceAddress, before: Section | undefined, after: Section): void {
    if (isOn(after) && (!before || !isOn(before))) this.switchedOn.set(`${key}/${after.id}`, this.owner.now());
  }

  /** A section as its version answers it: with secrets as marks, and with the sizes of files that have one. */
  private shown({ declaration, version }: ServiceAddress, section: Section): Section {
    const shown: Record<string, unknown> = { id: section.id, '.type': section['.type'] };
    for (const [name, value] of Object.entries(section)) {
      const rule = declaration.options[name];
      if (version !== undefined && rule && (isLater(rule, version) || isDeprecated(rule, version))) continue;
      if (rule?.secret) shown[name + MARK] = '1';
      if (rule?.saysSize) shown[name + SIZE] = this.owner.fileSize(String(value));
      if (rule?.secret !== true) shown[name] = value;
    }
    for (const [name, rule] of Object.entries(declaration.options)) if (rule.shownEmpty) shown[name] ??= '';
    return shown as Section;
  }

  private newId(declaration: ServiceDeclaration, given: unknown): string {
    const generated = declaration.ids === 'generated' || (declaration.ids === 'either' && given === undefined);
    if (generated)
      return `cfg${(++this.made).toString(16).padStart(2, '0')}${this.owner.random.integer(0x1000, 0xffff).toString(16)}`;
    if (given === undefined || given === '') throw new DeviceRefusal(110, { source: 'id' });
    if (typeof given !== 'string' || !ID.test(given)) throw new DeviceRefusal(103, { source: 'id', value: given });
    return given;
  }

  /** Every refused option at once (code 103 with `source`, `section`, `value`). */
  private check(
    { declaration, version }: ServiceAddress,
    input: SectionChange['data'],
    section: string,
    before: Section | null,
  ): void {
    const errors: DeviceError[] = [];
    const refuseOption = (source: string, error: string, value?: unknown): void => {
      errors.push({ code: 103, error, source, section, ...(value === undefined ? {} : { value: refusedText(value) }) });
    };
    for (const [name, value] of Object.entries(input)) {
      if (name === 'id' || name === '.type' || isMark(declaration, name)) continue;
      const rule = declaration.options[name];
      if (!rule || isLater(rule, version)) refuseOption(name, 'There is no such option', value);
      else if (rule.readOnly && before?.[name] !== value) refuseOption(name, 'The device sets this option', value);
      else if (!this.isValid(rule, value)) refuseOption(name, 'The value is not valid', value);
    }
    if (before === null) {
      for (const [name, rule] of Object.entries(declaration.options)) {
        if (rule.required && input[name] === undefined) refuseOption(name, 'The option is required');
      }
    }
    if (errors.length > 0) throw DeviceRefusal.all(errors);
  }

  /** Empty text unsets an option. */
  private isValid(rule: OptionRule, value: unknown): boolean {
    if (rule.list === true || (rule.list && Array.isArray(value)))
      return Array.isArray(value) && value.every((item) => typeof item === 'string' && CHECKS[rule.type](item, rule));
    return typeof value === 'string' && ((value === '' && !rule.required) || CHECKS[rule.type](value, rule));
  }

  private withDefaults(declaration: ServiceDeclaration, id: string, input: SectionChange['data']): Section {
    const section: Section = { id, '.type': declaration.type, ...inversesOf(declaration, input) };
    for (const [name, rule] of Object.entries(declaration.options)) {
      const value = (input[name] as string | string[] | undefined) ?? rule.default;
      if (value !== undefined && value !== '') section[name] = value;
    }
    const generated = Object.entries(declaration.options).filter(
      ([name, rule]) => rule.generated && section[name] === undefined,
    );
    if (generated.length > 0) {
      const keys = wireguardKeys(this.owner.random.bytes(32));
      for (const [name, { generated: kind }] of generated) {
        section[name] = {
          id,
          node: keys.publicKey
            .replaceAll(/[^0-9A-Za-z]/g, '')
            .slice(0, 10)
            .toLowerCase(),
          'wireguard-private': keys.privateKey,
          'wireguard-public': keys.publicKey,
        }[kind!];
      }
    }
    return section;
  }

  private merged(section: Section, input: SectionChange['data']): Section {
    const merged: Section = { ...section, ...(input as Section), id: section.id, '.type': section['.type'] };
    for (const [name, value] of Object.entries(merged)) if (value === '' || name.includes(':')) delete merged[name];
    return merged;
  }

  /** Whether the device can put it into effect: files are there, exclusive values are free (code 115). */
  private applicable(declaration: ServiceDeclaration, all: readonly Section[], section: Section): void {
    for (const [name, rule] of Object.entries(declaration.options)) {
      const value = section[name];
      if (typeof value !== 'string') continue;
      const missing = rule.type === 'file' && value.startsWith(CERTIFICATE_DIRECTORY) && !this.owner.hasFile(value);
      const taken =
        rule.exclusive &&
        section['enabled'] === '1' &&
        all.some((other) => other.id !== section.id && other['enabled'] === '1' && other[name] === value);
      if (missing || taken) {
        const error = missing ? 'There is no such file on the device' : 'Another enabled section has this value';
        throw new DeviceRefusal(115, { error, source: name, section: section.id, value });
      }
    }
  }
}

const isOn = (section: Section): boolean => section['enabled'] === '1' || section['enable'] === '1';

/** The sections after a change. What may be on in one section only is off in those that did not change. */
function alone(declaration: ServiceDeclaration, before: readonly Section[], changed: readonly Section[]): Section[] {
  const single = Object.keys(declaration.options).filter((name) => declaration.options[name]!.single);
  return before.map((section) => {
    const own = changed.find(({ id }) => id === section.id);
    if (own) return own;
    // Each modem has a card of its own.
    const beside = changed.filter(({ modem }) => modem === section['modem']);
    const taken = single.filter((name) => beside.some((other) => other[name] === '1'));
    return { ...section, ...Object.fromEntries(taken.map((name) => [name, '0'])) };
  });
}

/** The flags that say the opposite of what was given. */
function inversesOf({ options }: ServiceDeclaration, input: SectionChange['data']): Record<string, string> {
  const inverses: Record<string, string> = {};
  for (const [name, { inverseOf }] of Object.entries(options)) {
    if (inverseOf !== undefined && input[name] !== undefined) inverses[inverseOf] = input[name] === '1' ? '0' : '1';
  }
  return inverses;
}

/** Without what is DEPRECATED in the version: it is taken, and no longer supported (specification, Versioning 4). */
function supported({ declaration, version }: ServiceAddress, input: SectionChange['data']): SectionChange['data'] {
  if (version === undefined) return input;
  const isGone = ([name]: [string, unknown]) => {
    const rule = declaration.options[name];
    return rule !== undefined && isDeprecated(rule, version);
  };
  return Object.fromEntries(Object.entries(input).filter((option) => !isGone(option)));
}

/** What follows the name of a secret option when only its presence is answered. */
const MARK = ':set';

/** What follows the name of a file, before its size in bytes. */
const SIZE = ':file_size';

/** Whether a name is what a device answers about an option: a client may write it back, without effect. */
function isMark({ options }: ServiceDeclaration, name: string): boolean {
  const [option = ''] = name.split(':');
  const rule = options[option];
  if (!rule || !name.includes(':')) return false;
  return name === option + SIZE ? rule.saysSize : name === option + MARK && rule.secret !== false;
}

function readSections(text: string): Section[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const whole =
      Array.isArray(parsed) && parsed.every((section: unknown) => typeof (section as Section | null)?.id === 'string');
    return whole ? (parsed as Section[]) : null;
  } catch {
    return null;
  }
}
