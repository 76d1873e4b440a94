import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { FAMILIES, type FamilyName } from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { homeNetworkOf } from '../../../src/simulator/services/mobile/cells.js';
import { startKindWorld, type JobView, type KindWorld } from '../../support/jobs/kind-world.js';
import { sweepAllDue } from '../../support/monitoring/status-sweep.js';

/*
 * Devices of other shapes than the usual ones go the whole way: the gateway learns who they are, backs them up and upgrades
 * them to a firmware that says less of itself.
 */

const NEW = '07.25.3';

const DEVICES: readonly [family: FamilyName, firmware: string][] = [
  ['RUTX12', '07.16.3'],
  ['RUTX08', '07.10.2'],
  ['RUTX11', '07.24.5'],
  ['RUT956', '07.24.1'],
  ['RUTM50', '07.21.0'],
  ['OTD500', '07.23.4'],
  ['RUT950', '07.06.20'],
  ['RUT241', '07.22.0'],
  ['TRB140', '07.21.1'],
  ['TRB500', '07.20.3'],
];

let world: KindWorld;
/** The backup and the upgrade of each. */
const jobs: (readonly [JobView, JobView])[] = [];

beforeAll(async () => {
  const groups = DEVICES.map(([family, firmware]) => ({ devices: 1, family, firmware, profile: 'rutos' as const }));
  world = await startKindWorld({ devices: 1, profile: 'rutos', groups });
  Object.assign(world.gateway.gateway.app.get(StatusSweeper), { config: { STATUS_EVERY_SECONDS: 300 } });
  await sweepAllDue(world.gateway, world.clock);
  const run = async (index: number, family: FamilyName) => {
    const backup = await world.ended(await world.start(index, 'backup'));
    const image = await world.keep(makeFirmwareImage(FAMILIES[family], NEW), {
      kind: 'firmware',
      version: NEW,
      models: [family],
    });
    const spec = { artifactId: image.id, minimumSignalDbm: -130 };
    return [backup, await world.ended(await world.start(index, 'firmware', spec))] as const;
  };
  jobs.push(...(await Promise.all(DEVICES.map(([family], at) => run(at + 1, family)))));
});
afterAll(() => world.close());

describe('each family', () => {
  it.each(DEVICES.map(([family, firmware], at) => ({ family, firmware, at })))(
    '$family on $firmware is known, backed up and upgraded',
    async ({ family, at }) => {
      const simulated = world.fleet.devices[at + 1]!;
      const { model, serial, firmware, networkOperator } = await world.gateway.api.get<Record<string, unknown>>(
        `/v1/devices/${world.ids[at + 1]}`,
      );
      expect([model, serial, firmware]).toEqual([family, simulated.serial, `${FAMILIES[family].firmwarePrefix}${NEW}`]);
      // A device without a modem names no network.
      expect(networkOperator).toBe(FAMILIES[family].has.modem ? homeNetworkOf(simulated).op_name : null);
      const [backup, upgrade] = jobs[at]!;
      expect([backup.outcome, backup.failure]).toEqual(['succeeded', null]);
      expect([upgrade.outcome, upgrade.failure]).toEqual(['succeeded', null]);
      expect(simulated.firmware.version).toBe(firmware);
    },
  );
});
