import { FAMILIES } from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'firmware',
  async spec(world) {
    const image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, '07.17.3'), { kind: 'firmware' });
    return { artifactId: image.id, backup: 'skip' };
  },
  once: ['flash', 'reboot'],
  isDone: ({ fleet }, index) => fleet.devices[index]!.firmware.version === 'RUTX_R_00.07.17.3',
});
