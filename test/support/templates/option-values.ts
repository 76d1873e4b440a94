import { type SimulatedDevice } from '../../../src/simulator/device/device.js';
import { type Section, type ServiceAddress } from '../../../src/simulator/device/configuration.js';
import { type OptionRule, type ServiceDeclaration } from '../../../src/simulator/device/service-declaration.js';

/* What a simulated device declares, as things to set: its services, a section of each, and for each option a value that it has not. */

export interface SettableService {
  /** As a template names it. */
  readonly path: string;
  readonly declaration: ServiceDeclaration;
  readonly section: Section;
}

/** All services that the device has, with a section of each; one is made where it has none. */
export function settableServices({ configuration, declarations, family }: SimulatedDevice): SettableService[] {
  const has: Readonly<Record<string, boolean>> = family.has;
  const here = [...declarations.values()].filter(({ needs }) => needs === undefined || has[needs] === true);
  return here.flatMap((declaration) => {
    const address = addressOf(declaration, declarations, configuration);
    if (!address) return [];
    const [first] = configuration.list(address);
    if (!first && !declaration.creatable) return []; // it has none, such as the cards of a device without a modem
    const section = first ?? configuration.create(address, newSection(declaration));
    const end = declaration.kind === 'record' ? 'global' : 'config';
    const path = declaration.path.endsWith('/global') ? address.key : `${address.key}/${end}`;
    return [{ path: `/api/${path}`, declaration, section }];
  });
}

function addressOf(
  declaration: ServiceDeclaration,
  declarations: ReadonlyMap<string, ServiceDeclaration>,
  configuration: SimulatedDevice['configuration'],
): ServiceAddress | null {
  const [parentKey] = declaration.path.split('/{parent}');
  if (parentKey === declaration.path) return { declaration, key: declaration.path };
  const id = parentOf(parentKey!, declarations, configuration);
  if (id === null) return null;
  return { declaration, key: declaration.path.replace('{parent}', id), parent: { key: parentKey!, id } };
}

function parentOf(
  key: string,
  declarations: ReadonlyMap<string, ServiceDeclaration>,
  configuration: SimulatedDevice['configuration'],
): string | null {
  const parent = declarations.get(key);
  if (parent) {
    const address = { declaration: parent, key };
    return (configuration.list(address)[0] ?? configuration.create(address, newSection(parent))).id;
  }
  // Modems are no sections: a card says its modem.
  const cards = declarations.get('sim_cards')!;
  return String(configuration.list({ declaration: cards, key: cards.path })[0]?.['modem'] ?? '') || null;
}

function newSection({ ids, options }: ServiceDeclaration): Record<string, string | string[]> {
  const required = Object.entries(options).filter(([, { required: isNeeded }]) => isNeeded);
  const values = required.map(([name, rule]) => [name, otherValue(rule, undefined)!] as const);
  return { ...(ids === 'generated' ? {} : { id: 'one' }), ...Object.fromEntries(values) };
}

/** Of the type of an option, and not what it has; null: it takes none, or only the device sets it. */
export function otherValue(rule: OptionRule, present: string | string[] | undefined): string | string[] | null {
  if (rule.readOnly) return null;
  const found = candidates(rule).find((value) => value !== [present].flat()[0]);
  if (found === undefined) return null;
  return rule.list === true ? [found] : found;
}

function candidates({ type, values = [], min, max = Number.POSITIVE_INFINITY }: OptionRule): string[] {
  switch (type) {
    case 'flag':
      return ['0', '1'];
    case 'integer':
      return [String(min ?? 7), String((min ?? 7) + 1)];
    case 'port':
      return ['8091', '8092'];
    case 'ipv4':
      return ['192.0.2.7', '192.0.2.8'];
    case 'cidr':
      return ['192.0.2.0/24', '198.51.100.0/24'];
    case 'host':
      return ['one.example', 'two.example'];
    case 'mac':
      return ['02:00:00:00:00:07', '02:00:00:00:00:08'];
    case 'enum':
      return [...values];
    case 'file':
      return ['/tmp/one.bin', '/tmp/two.bin'];
    case 'key':
      return [`${'A'.repeat(43)}=`, `${'B'.repeat(43)}=`];
    case 'text':
      return ['p', 'q'].map((letter) => letter.repeat(Math.min(max, Math.max(min ?? 1, 8))));
  }
}
