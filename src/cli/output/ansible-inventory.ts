import { createHash } from 'node:crypto';
import { isRow, type Row } from './cells.js';

/*
 * The registry as an inventory of Ansible: groups by site, tag, model and firmware, and each device with its row. A host is
 * reached through the façade of the gateway, so the modules of a play run beside Ansible itself.
 */

/** Variables of all hosts. The second one is evaluated by Ansible; without it a play takes the Python of the system. */
const LOCAL = { ansible_connection: 'local', ansible_python_interpreter: '{{ ansible_playbook_python }}' };

/** Of `device list`. @param gatewayUrl where the façade is, without a slash at its end */
export function ansibleInventory(devices: readonly Row[], gatewayUrl: string): Row {
  const hosts = devices.map(hostOf);
  const hostvars = devices.map((device) => {
    const vars = { fleetgate_url: `${gatewayUrl}/d/${String(device['id'])}`, fleetgate: unsafe(device) };
    return [hostOf(device), vars] as const;
  });
  return { _meta: { hostvars: Object.fromEntries(hostvars) }, all: { hosts, vars: LOCAL }, ...groupsOf(devices) };
}

/** Ansible evaluates templates in the names of hosts, too, and cannot be told not to: a device with such a name goes by its id. */
const hostOf = ({ id, name }: Row): string => String(/\{[{%#]/.test(String(name)) ? id : name);

/** Texts of people and devices. Ansible evaluates templates in variables, but not in these. */
function unsafe(value: unknown): unknown {
  if (typeof value === 'string') return { __ansible_unsafe: value };
  if (Array.isArray(value)) return value.map(unsafe);
  if (!isRow(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unsafe(inner)]));
}

function groupsOf(devices: readonly Row[]): Record<string, { hosts: string[] }> {
  const hostsOf = new Map<string, string[]>();
  for (const device of devices)
    for (const title of titlesOf(device)) {
      const hosts = hostsOf.get(title) ?? [];
      hostsOf.set(title, hosts);
      hosts.push(hostOf(device));
    }
  const titles = [...hostsOf.keys()].toSorted();
  const [once, shared] = [new Set<string>(), new Set<string>()];
  for (const word of titles.map(wordOf)) (once.has(word) ? shared : once).add(word);
  return Object.fromEntries(
    titles.map((title) => {
      const word = wordOf(title);
      return [shared.has(word) ? `${word}_${digestOf(title)}` : word, { hosts: hostsOf.get(title)! }];
    }),
  );
}

/** What a device is grouped by, such as `site vilnius/plant-1`; a site is in those above it. */
function titlesOf({ site, tags, model, firmware }: Row): string[] {
  const parts = typeof site === 'string' && site !== '' ? site.split('/') : [];
  const titles = parts.map((_, at) => `site ${parts.slice(0, at + 1).join('/')}`);
  if (Array.isArray(tags)) titles.push(...tags.map((tag) => `tag ${String(tag)}`));
  if (typeof model === 'string') titles.push(`model ${model}`);
  if (typeof firmware === 'string') titles.push(`firmware ${firmware}`);
  return titles;
}

/** Names of groups are words. Two that become the same word get a digest each: a play must not hit the devices of the other. */
const wordOf = (title: string): string => title.replaceAll(/[^A-Za-z0-9_]/g, '_');

const digestOf = (title: string): string => createHash('sha256').update(title).digest('hex').slice(0, 6);
