import { issueRsa } from '../../../src/simulator/device/certificates.js';
import { type SimulatedDevice } from '../../../src/simulator/fleet.js';
import { describeLaws } from '../../support/jobs/kind-laws.js';

const DAY_MS = 86_400_000;
const FILE = 'office.pem';

const openvpn = (device: SimulatedDevice) => ({ declaration: device.declarations.get('openvpn')!, key: 'openvpn' });

describeLaws({
  kind: 'upload',
  async spec(world, index) {
    const notBefore = new Date(Date.now() - DAY_MS);
    const notAfter = new Date(Date.now() + 365 * DAY_MS);
    const { certificatePem } = await issueRsa(1024, { commonName: 'Office', notBefore, notAfter, authority: true });
    const { id: artifactId } = await world.keep(Buffer.from(certificatePem), { kind: 'file', name: FILE });
    const device = world.fleet.devices[index]!;
    device.configuration.create(openvpn(device), { id: 'office' });
    const into = { path: '/api/openvpn/config/office', option: 'ca' };
    return { artifactId, path: '/api/certificates/root_ca/config', fileName: FILE, into };
  },
  once: ['upload', 'update'],
  isDone({ fleet }, index) {
    const device = fleet.devices[index]!;
    return (
      device.certificates.has(FILE) &&
      device.configuration.get(openvpn(device), 'office')['ca'] === `/etc/certificates/${FILE}`
    );
  },
});
