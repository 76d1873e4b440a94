import { titleOfSection } from '../../../../../src/device-api/words/section-words.js';
import { valueWords } from '../../observed/value-words.js';

/*
 * The settings that people ask for first, from what a device answers. It chooses its answers, so each value is checked, and what it
 * does not say is left out. Pure.
 */

/** A setting with the service, the section and the option where it is changed. */
export interface KeySetting {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** The id of the first section that has it; null: it has none, or it is of several. */
  readonly section: string | null;
  readonly option: string | null;
}

const [SYSTEM, INTERFACES, WIRELESS, DHCP, TIME] = [
  '/api/system/config',
  '/api/interfaces/config',
  '/api/wireless/interfaces/config',
  '/api/dhcp/servers/ipv4/config',
  '/api/ntp/servers/config',
] as const;

/** What is read for them, where the device has it. */
export const KEY_PATHS: readonly string[] = [SYSTEM, INTERFACES, WIRELESS, DHCP, TIME];

type Section = Readonly<Record<string, unknown>>;

const SHOWN = 4;

/** @param answers the sections of each path */
export function keySettings(answers: ReadonlyMap<string, unknown>): readonly KeySetting[] {
  const of = (path: string): readonly Section[] => [answers.get(path) ?? []].flat().map(fieldsOf);
  const interfaces = of(INTERFACES);
  const system = of(SYSTEM).slice(0, 1);
  return [
    ...setting('Name of the router', SYSTEM, system, nameOf, system.some(hasOwnName) ? 'devicename' : 'hostname'),
    ...setting('LAN address', INTERFACES, interfaces.filter(isLan), addressOf, 'ipaddr'),
    ...setting('Addresses for clients', DHCP, of(DHCP), poolOf, 'start_ip'),
    ...setting(
      'Internet through',
      INTERFACES,
      interfaces.filter((one) => !isLan(one)),
      wayOf,
      null,
    ),
    ...setting('Mobile APN', INTERFACES, interfaces.filter(isMobile), apnOf, 'apn'),
    ...setting('Wi-Fi', WIRELESS, of(WIRELESS), networkOf, 'ssid'),
    ...setting('Time servers', TIME, of(TIME), (one) => textOf(one['hostname']), 'hostname'),
  ];
}

/** @param option where it is changed; null: in several */
function setting(
  name: string,
  path: string,
  sections: readonly Section[],
  valueOf: (section: Section) => string | null,
  option: string | null,
): readonly KeySetting[] {
  const found = sections.flatMap((section) => {
    const value = valueOf(section);
    return value === null ? [] : [{ value, id: section['id'] }];
  });
  if (found.length === 0) return [];
  const said = [...new Set(found.map(({ value }) => value))];
  const more = said.length > SHOWN ? ` and ${said.length - SHOWN} more` : '';
  const id = option === null ? null : found[0]!.id;
  return [
    {
      name,
      path,
      value: said.slice(0, SHOWN).join(' · ') + more,
      section: typeof id === 'string' ? id : null,
      option,
    },
  ];
}

const hasOwnName = (one: Section): boolean => textOf(one['devicename']) !== null;

const fieldsOf = (value: unknown): Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Section) : {};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 80) : null;

const isOn = (one: Section, option = 'enabled'): boolean => one[option] !== '0';
const isLan = (one: Section): boolean =>
  one['area_type'] === 'lan' || (one['area_type'] === undefined && one['id'] === 'lan');
const isMobile = (one: Section): boolean => one['proto'] === 'wwan' && isOn(one);

const nameOf = (one: Section): string | null => textOf(one['devicename']) ?? textOf(one['hostname']);

function addressOf(one: Section): string | null {
  const [address, mask] = [textOf(one['ipaddr']), textOf(one['netmask'])];
  return address && (mask ? `${address} / ${mask}` : address);
}

function poolOf(one: Section): string | null {
  if (!isOn(one, 'enable_dhcpv4')) return 'given by no server';
  const [start, end] = [textOf(one['start_ip']), textOf(one['end_ip'])];
  return start && end && `${start} to ${end}`;
}

function wayOf(one: Section): string | null {
  if (!(textOf(one['name']) ?? textOf(one['id'])) || !isOn(one)) return null;
  const name = titleOfSection('interfaces', one, 0).slice(0, 80);
  const proto = textOf(one['proto']);
  // The words of a form say more after a colon than a line has room for.
  const words = proto && valueWords('interfaces', 'proto', proto).split(':')[0];
  return words && !name.startsWith(words) ? `${name} (${words})` : name;
}

function apnOf(one: Section): string {
  const sim = textOf(one['sim']);
  const apn = textOf(one['apn']) ?? 'found by the SIM card';
  return sim ? `SIM ${sim}: ${apn}` : apn;
}

function networkOf(one: Section): string | null {
  const name = textOf(one['ssid']);
  if (!name) return null;
  const encryption = textOf(one['encryption']);
  const about = isOn(one) ? encryption && valueWords('wireless/interfaces', 'encryption', encryption) : 'off';
  return about ? `${name} (${about})` : name;
}
