import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongForm } from '../../support/forms.js';
import { ansibleInventory } from '../../../src/cli/output/ansible-inventory.js';
import { openCliWorld, type CliWorld } from '../../support/cli/cli-world.js';

/* `device list -o ansible`, and what Debian's ansible-core makes of it. */

const ANSIBLE = '/usr/bin/ansible-playbook';

interface Inventory {
  readonly _meta: { readonly hostvars: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  readonly [group: string]: { readonly hosts?: readonly string[]; readonly hostvars?: unknown };
}

describe('an inventory', () => {
  const device = (name: string, more: object = {}) => ({
    id: `id-${name.replaceAll(/\W/g, '')}`,
    name,
    site: null,
    tags: [],
    ...more,
  });
  const groups = (...devices: object[]) => {
    const { _meta, all: _all, ...rest } = ansibleInventory(devices as never, 'https://fleet.example') as Inventory;
    return Object.fromEntries(Object.entries(rest).map(([name, { hosts }]) => [name, hosts]));
  };

  it('has a device in the groups of its site and those above, its tags, model and firmware', () => {
    const full = device('a', { site: 'vilnius/plant-1', tags: ['pump'], model: 'RUTX50', firmware: '07.24.2' });
    expect(groups(full, device('b', { site: 'vilnius' }))).toEqual({
      site_vilnius: ['a', 'b'],
      site_vilnius_plant_1: ['a'],
      tag_pump: ['a'],
      model_RUTX50: ['a'],
      firmware_07_24_2: ['a'],
    });
  });

  it('keeps groups apart whose names become one word', () => {
    const found = groups(device('a', { tags: ['a-b'] }), device('b', { tags: ['a_b'] }), device('c', { tags: ['c'] }));
    expect(Object.keys(found)).toEqual([
      expect.stringMatching(/^tag_a_b_[0-9a-f]{6}$/),
      expect.stringMatching(/^tag_a_b_[0-9a-f]{6}$/),
      'tag_c',
    ]);
    expect(Object.values(found)).toEqual([['a'], ['b'], ['c']]);
  });

  it.each(['{{ lookup("pipe", "id") }}', 'a {% raw %}', '{# a'])(
    'has a device by its id whose name is a template: %s',
    (name) => {
      const { _meta, all, tag_pump } = ansibleInventory(
        [device(name, { tags: ['pump'] })],
        'https://fleet.example',
      ) as Inventory;
      const { id } = device(name);
      expect([all!.hosts, tag_pump!.hosts, Object.keys(_meta.hostvars)]).toEqual([[id], [id], [id]]);
      expect(_meta.hostvars[id]).toMatchObject({ fleetgate: { name: { __ansible_unsafe: name } } });
    },
  );

  it('of no device has no group', () => {
    expect(groups()).toEqual({});
  });
});

describe('of a gateway', () => {
  let world: CliWorld;
  const NOTE = '{{ lookup("pipe", "echo evaluated") }}';

  beforeAll(async () => {
    world = await openCliWorld(3);
    await world.run(['device', 'edit', 'pump-2', '--note', NOTE, '--yes']);
    await world.run(['device', 'edit', 'pump-3', '--rename', NOTE, '--yes']);
  });
  afterAll(() => world.close());

  it('has the devices of the selector, each with its row and its address at the façade', async () => {
    const { code, out } = await world.run(['device', 'list', '-o', 'ansible', '-l', 'name:pump-2']);
    expect(code).toBe(0);
    const { _meta, ...rest } = JSON.parse(out) as Inventory;
    expect(rest['all']!.hosts).toEqual(['pump-2']);
    expect(rest['tag_pump']!.hosts).toEqual(['pump-2']);
    expect(_meta.hostvars['pump-2']).toMatchObject({
      fleetgate_url: expect.stringMatching(/^http:.*\/d\/[0-9a-f-]{36}$/) as string,
      fleetgate: { note: { __ansible_unsafe: NOTE } },
    });
  });

  it('is one document, and the format of no other command', async () => {
    const watched = await world.run(['device', 'list', '-o', 'ansible', '--watch']);
    expect(watched).toMatchObject({ code: 2, err: expect.stringContaining('--watch') as string });
    const other = await world.run(['job', 'list', '-o', 'ansible']);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('ansible') as string });
  });

  it.skipIf(!isLongForm || !existsSync(ANSIBLE))(
    'is what a play calls devices with, where ansible-core is installed',
    async () => {
      const script = await world.file('inventory', '#!/bin/sh\nexec fleetgate device list -o ansible -l tag:pump\n');
      await chmod(script, 0o700);
      const play = await world.file('play.yaml', PLAY);
      const home = path.join(world.folder, 'home');
      await mkdir(home);
      const { stdout, stderr } = await promisify(execFile)(ANSIBLE, ['-i', script, play], {
        env: {
          ...world.environment(world.gateway.keys.administrator),
          PATH: `${await world.program()}:${process.env['PATH']}`,
          HOME: home,
          LC_ALL: 'C.UTF-8',
          ANSIBLE_NOCOLOR: '1',
        },
      });
      expect(stderr).not.toContain('WARNING');
      for (const name of ['pump-1', 'pump-2', '[0-9a-f]{8}-[0-9a-f-]{27}'])
        expect(stdout).toMatch(new RegExp(`^${name} +: ok=2 +changed=0 +unreachable=0 +failed=0`, 'm'));
      expect(stdout).toContain('lookup(');
      expect(stdout).not.toContain('"evaluated"');
      expect(world.fleet.ledger.entries({ path: '/api/system/device/status' }).length).toBeGreaterThanOrEqual(3);
    },
  );
});

const PLAY = `
- hosts: tag_pump
  gather_facts: false
  tasks:
    - uri:
        url: "{{ fleetgate_url }}/api/system/device/status"
        headers: { Authorization: "Bearer {{ lookup('env', 'FLEETGATE_API_KEY') }}" }
      register: status
    - debug: { msg: "{{ status.json.data.mnfinfo.serial }} {{ fleetgate.note }} {{ inventory_hostname }}" }
`;
