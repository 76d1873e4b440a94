import { packBackup } from '../../../src/simulator/device/backup-archive.js';
import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'restore',
  async spec(world, index) {
    const device = world.fleet.devices[index]!;
    const name = `backup-${device.serial}-20261120T120000Z.tar.gz`;
    const backup = await world.keep(await packBackup(device), { kind: 'backup', name, deviceId: world.ids[index]! });
    return { artifactId: backup.id };
  },
  once: ['restore', 'reboot'],
  isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['restore'] === 1,
});
