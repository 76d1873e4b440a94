/*
 * Configuration services: one create/read/update/delete pattern for all of them (specification, What the service does 4).
 * A service is a declaration (below) and no code of its own; `declarations.ts` holds those that every device has, and a fleet
 * file can add more. Sections are made from their declaration on first use, so an untouched device costs nothing.
 */
import { z } from 'zod';
import { CERTIFICATE_DIRECTORY, type DeviceError } from '../../device-api/contract.js';
import { wireguardKeys } from './certificates.js';
import { Refused } from './exchange.js';
import type { Random } from './random.js';

/** Of an option and of a service: versions of the API are 1, 2 and 3 (`SPEC_VERSIONS`). */
const lifetime = {
  /** The first version that has it. */
  since: z.int().min(1).default(1),
  /** The first version in which it is DEPRECATED; `true`: all. */
  deprecated: z.union([z.boolean(), z.int().min(1)]).default(false),
};

const optionRule = z.strictObject({
  type: z
    .enum(['text', 'flag', 'integer', 'port', 'ipv4', 'cidr', 'host', 'mac', 'enum', 'file', 'key'])
    .default('text'),
  list: z.boolean().default(false),
  /** For `enum`. */
  values: z.array(z.string()).optional(),
  /** For `integer` the value, for `text` the length. */
  min: z.number().optional(),
  max: z.number().optional(),
  default: z.union([z.string(), z.array(z.string())]).optional(),
  required: z.boolean().default(false),
  /** No two enabled sections may have the same value: the device cannot apply it (code 115). */
  exclusive: z.boolean().default(false),
  /** Made by the device when the section is created. */
  generated: z.enum(['wireguard-private', 'wireguard-public']).optional(),
  ...lifetime,
});
export type OptionRule = z.output<typeof optionRule>;

export const serviceDeclaration = z.strictObject({
  /** Between `/api/` and `/config` or `/global`; `{parent}` is the section of another service. */
  path: z.string().regex(/^[a-z0-9_]+(\/([a-z0-9_]+|\{parent\}))*$/),
  kind: z.enum(['sections', 'record']).default('sections'),
  /** What `.type` says. */
  type: z.string(),
  summary: z.string().default(''),
  /** Whether the caller names a new section, or the device does, or either. */
  ids: z.enum(['given', 'generated', 'either']).default('given'),
  creatable: z.boolean().default(true),
  deletable: z.boolean().default(true),
  /** Sections that cannot be deleted since the device needs them (code 105). */
  permanent: z.array(z.string()).default([]),
  maxSections: z.number().int().positive().default(32),
  /** The feature that a device must have for it; without it the service is not there. */
  needs: z.enum(['wifi', 'gps', 'modem', 'dualSim', 'usb']).optional(),
  ...lifetime,
  options: z.record(z.string(), optionRule),
  /** Sections of a new device; `{serial}`, `{mac}` and `{name}` in values are the device's own. */
  initial: z.array(z.record(z.string(), z.union([z.string(), z.array(z.string())]))).default([]),
});
export type ServiceDeclaration = z.output<typeof serviceDeclaration>;

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

export interface ConfigurationOwner {
  readonly random: Random;
  readonly facts: Readonly<Record<'serial' | 'mac' | 'name', string>>;
  /** Whether a file that an option refers to is on the device. */
  hasFile(path: string): boolean;
}

export class Configuration {
  private services = new Map<string, Section[]>();
  /** Services whose stored configuration cannot be read: a restored archive held something else. */
  private readonly damaged = new Map<string, string>();
  private made = 0;

  constructor(
    private readonly owner: ConfigurationOwner,
    private readonly declarations: ReadonlyMap<string, ServiceDeclaration>,
  ) {}

  /** A copy of the sections: an answer must not change with what comes later. */
  list(address: ServiceAddress): Section[] {
    return this.stored(address, 104).map((section) => inVersion(address, section));
  }

  get(address: ServiceAddress, id: string): Section {
    return inVersion(address, this.existing(this.stored(address, 104), id));
  }

  /** @throws Refused 103, 106, 108, 109, 110, 115, 117 */
  create(address: ServiceAddress, data: Readonly<Record<string, unknown>>): Section {
    const { declaration } = address;
    if (!declaration.creatable) throw new Refused(108, { source: declaration.path });
    const input = supported(address, data);
    const sections = this.stored(address, 117);
    const id = this.newId(declaration, input['id']);
    if (sections.some((section) => section.id === id)) throw new Refused(109, { source: 'id', value: id });
    if (sections.length >= declaration.maxSections) {
      throw new Refused(106, { error: `At most ${declaration.maxSections} sections`, source: declaration.path });
    }
    this.check(address, input, id, true);
    const section = this.withDefaults(declaration, id, input);
    this.applicable(declaration, sections, section);
    sections.push(section);
    return inVersion(address, section);
  }

  /** Changes several sections or none. @throws Refused 103, 113, 115, 117 */
  update(address: ServiceAddress, changes: readonly SectionChange[]): Section[] {
    const sections = this.stored(address, 117);
    const changed = changes.map(({ id, data }) => {
      const section = this.existing(sections, id);
      const input = supported(address, data);
      this.check(address, input, id, false);
      return this.merged(section, input);
    });
    const after = sections.map((section) => changed.find(({ id }) => id === section.id) ?? section);
    for (const section of changed) this.applicable(address.declaration, after, section);
    this.services.set(address.key, after);
    return changed.map((section) => inVersion(address, section));
  }

  /** Removes several sections or none. @throws Refused 105, 111, 113, 117 */
  remove(address: ServiceAddress, ids: readonly string[]): void {
    const { declaration, key } = address;
    if (!declaration.deletable) throw new Refused(111, { source: declaration.path });
    const sections = this.stored(address, 117);
    for (const id of ids) {
      this.existing(sections, id);
      if (declaration.permanent.includes(id)) {
        throw new Refused(105, { error: 'The device needs this section', source: declaration.path, section: id });
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
      if (!declaration.path.includes('{')) this.sections({ declaration, key: declaration.path });
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

  private sections({ declaration, key }: ServiceAddress): Section[] {
    let sections = this.services.get(key);
    if (!sections) {
      sections = key === declaration.path ? declaration.initial.map((values) => this.initial(declaration, values)) : [];
      this.services.set(key, sections);
    }
    return sections;
  }

  private initial(declaration: ServiceDeclaration, values: Record<string, string | string[]>): Section {
    const text = (value: string): string =>
      value.replace(/\{(serial|mac|name)\}/g, (_, fact: 'serial' | 'mac' | 'name') => this.owner.facts[fact]);
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
    if (declaration) this.existing(this.sections({ declaration, key: parent.key }), parent.id);
    if (this.damaged.has(key)) throw new Refused(damaged, { source: address.declaration.path });
    return this.sections(address);
  }

  private existing(sections: readonly Section[], id: string): Section {
    const found = sections.find((section) => section.id === id);
    if (!found) throw new Refused(113, { source: 'id', section: id });
    return found;
  }

  private newId(declaration: ServiceDeclaration, given: unknown): string {
    const generated = declaration.ids === 'generated' || (declaration.ids === 'either' && given === undefined);
    if (generated)
      return `cfg${(++this.made).toString(16).padStart(2, '0')}${this.owner.random.integer(0x1000, 0xffff).toString(16)}`;
    if (given === undefined || given === '') throw new Refused(110, { source: 'id' });
    if (typeof given !== 'string' || !ID.test(given)) throw new Refused(103, { source: 'id', value: given });
    return given;
  }

  /** Every refused option at once (code 103 with `source`, `section`, `value`). */
  private check(
    { declaration, version }: ServiceAddress,
    input: SectionChange['data'],
    section: string,
    whole: boolean,
  ): void {
    const errors: DeviceError[] = [];
    const refuseOption = (source: string, error: string, value?: unknown): void => {
      errors.push({ code: 103, error, source, section, ...(value === undefined ? {} : { value }) });
    };
    for (const [name, value] of Object.entries(input)) {
      if (name === 'id' || name === '.type') continue;
      const rule = declaration.options[name];
      if (!rule || isLater(rule, version)) refuseOption(name, 'There is no such option', value);
      else if (!this.isValid(rule, value)) refuseOption(name, 'The value is not valid', value);
    }
    if (whole) {
      for (const [name, rule] of Object.entries(declaration.options)) {
        if (rule.required && input[name] === undefined) refuseOption(name, 'The option is required');
      }
    }
    if (errors.length > 0) throw Refused.all(errors);
  }

  /** Empty text unsets an option. */
  private isValid(rule: OptionRule, value: unknown): boolean {
    if (rule.list)
      return Array.isArray(value) && value.every((item) => typeof item === 'string' && CHECKS[rule.type](item, rule));
    return typeof value === 'string' && ((value === '' && !rule.required) || CHECKS[rule.type](value, rule));
  }

  private withDefaults(declaration: ServiceDeclaration, id: string, input: SectionChange['data']): Section {
    const section: Section = { id, '.type': declaration.type };
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
        section[name] = kind === 'wireguard-private' ? keys.privateKey : keys.publicKey;
      }
    }
    return section;
  }

  private merged(section: Section, input: SectionChange['data']): Section {
    const merged: Section = { ...section, ...(input as Section), id: section.id, '.type': section['.type'] };
    for (const [name, value] of Object.entries(merged)) if (value === '') delete merged[name];
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
        throw new Refused(115, { error, source: name, section: section.id, value });
      }
    }
  }
}

interface Lifetime {
  readonly since: number;
  readonly deprecated: boolean | number;
}

/** Whether only a later version has it. */
export const isLater = ({ since }: Lifetime, version: number | undefined): boolean =>
  version !== undefined && since > version;

export function isDeprecated({ deprecated }: Lifetime, version: number | undefined): boolean {
  return typeof deprecated === 'boolean' ? deprecated : version !== undefined && deprecated <= version;
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

function inVersion({ declaration, version }: ServiceAddress, section: Section): Section {
  if (version === undefined) return { ...section };
  const isShown = ([name]: [string, unknown]) => {
    const rule = declaration.options[name];
    return rule === undefined || !(isLater(rule, version) || isDeprecated(rule, version));
  };
  return Object.fromEntries(Object.entries(section).filter(isShown)) as Section;
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
