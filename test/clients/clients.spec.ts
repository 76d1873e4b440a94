import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, type SimulatedDevice } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import { NEWEST_VENDOR_FIRMWARE } from '../../src/simulator/device/families.js';
import { register } from '../proxy/proxy-world.js';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { DeviceClient, type Address } from './device-client.js';
import { type PublicClient } from './flow.js';
import { exporter } from './flows/exporter.js';
import { feldfreund } from './flows/feldfreund.js';
import { haRutos } from './flows/ha-rutos.js';
import { ioBroker } from './flows/iobroker.js';
import { modbusConfigurator } from './flows/modbus-configurator.js';
import { panther } from './flows/panther.js';
import { ponika } from './flows/ponika.js';
import { pytonika } from './flows/pytonika.js';
import { receivers } from './flows/receivers.js';
import { rutosApiLib } from './flows/rutos-api-lib.js';
import { signalK } from './flows/signal-k.js';
import { teltasync } from './flows/teltasync.js';
import { webUi } from './flows/web-ui.js';
import { REFUSED } from './refused-flows.js';

/*
 * What public clients do, against the simulator itself and through both façades. Each client has a device of its own
 * for each of the three addresses. A flow passes, or `refused-flows.ts` names the reason.
 */

const OLDER = [teltasync, ponika, pytonika, rutosApiLib, feldfreund, panther, webUi, ioBroker];
const NEWER = [haRutos, receivers, exporter, signalK, modbusConfigurator];
const CLIENTS = [...OLDER, ...NEWER];
const WAYS = ['direct', 'by /d/{device}', 'by host name'] as const;
type Way = (typeof WAYS)[number];
const AT_ONCE = 4;

/** A host name leads to the same code as a path, so few clients show it in the short form. */
const BY_HOST_NAME = casesOf([teltasync, feldfreund, panther, pytonika, ponika, webUi, ioBroker, rutosApiLib], 2);
/** That they work with the simulator itself says that their flows are right, and nothing of the gateway. */
const DIRECT = casesOf(CLIENTS, 2);
const waysOf = (client: PublicClient) =>
  WAYS.filter((way) => {
    if (way === 'by host name') return BY_HOST_NAME.includes(client);
    return way !== 'direct' || DIRECT.includes(client);
  });

let world: TestGateway;
let fleet: Fleet;
/** What went wrong, by client, address and flow. */
const failures = new Map<string, Record<string, string>>();
const keyOf = (client: string, way: Way) => `${client}, ${way}`;

const addressOf = (way: Way, device: SimulatedDevice): Address => {
  const { baseUrl: base, username, password } = device;
  if (way === 'direct') return { base, username, password };
  const key = world.keys.administrator;
  if (way === 'by /d/{device}') return { base: `${world.url}/d/name:${device.name}`, username, password: key };
  return { base: world.url, host: `${device.name}.devices.example`, username, password: key };
};

beforeAll(async () => {
  [world, fleet] = await Promise.all([
    startTestGateway({ ROLE: 'api', DEVICE_HOST_SUFFIX: 'devices.example' }),
    startOwnFleet({
      devices: CLIENTS.length * WAYS.length,
      profile: 'rutos',
      family: 'RUTX50',
      timeScale: 200,
      keepAlive: true,
    }),
  ]);
  const runs = CLIENTS.flatMap((client, at) =>
    waysOf(client).map((way, index) => ({ client, way, device: fleet.devices[at * WAYS.length + index]! })),
  );
  for (const { way, device } of runs) {
    if (way !== 'direct') await register(world, device.name, device.baseUrl, device.username, device.password);
  }
  const files = {
    firmware: makeFirmwareImage(fleet.devices[0]!.family, NEWEST_VENDOR_FIRMWARE),
    text: Buffer.from('client\n'),
  };
  const turns = runs.values();
  const takeTurns = async () => {
    for (const { client, way, device } of turns)
      failures.set(keyOf(client.name, way), await new DeviceClient(client, addressOf(way, device), files).run());
  };
  // All at once would wait for each other beyond the time that a device has for an answer.
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
});
afterAll(async () => {
  await world.close();
  await fleet.close();
});

describe.each(CLIENTS)('$name', (client) => {
  const { name, flows } = client;
  const refused = REFUSED[name] ?? {};

  it.runIf(DIRECT.includes(client))('finds all that it needs on the device', () => {
    expect(failures.get(keyOf(name, 'direct'))).toEqual({});
  });

  it.each(waysOf(client).filter((way) => way !== 'direct'))(
    'works %s, except what the gateway refuses by design',
    (way) => {
      // The failure must name the code of the reason.
      const byDesign = Object.entries(refused).map(([flow, { code }]) => [flow, expect.stringContaining(`"${code}"`)]);
      expect(failures.get(keyOf(name, way))).toEqual(Object.fromEntries(byDesign));
    },
  );

  it('has flows with names of their own', () => {
    expect(flows.length).toBe(new Set(flows.map((flow) => flow.name)).size);
  });
});

describe('the suite', () => {
  it('has at least the flows with which the clients were first compared', () => {
    expect(CLIENTS.flatMap(({ flows }) => flows).length).toBeGreaterThanOrEqual(280);
  });
});
