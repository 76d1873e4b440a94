import { issueRsa } from '../../../src/simulator/device/certificates.js';
import { describeLaws } from '../../support/jobs/kind-laws.js';

const DAY_MS = 86_400_000;
const FILES = ['server.key.pem', 'server.cert.pem'];

/** Certificates that are there are replaced: the old files are removed, one by one, and then new ones are made. */
describeLaws({
  kind: 'certificates',
  fleet: { rsaBits: 1024 },
  async spec({ fleet }, index) {
    const { certificates } = fleet.devices[index]!;
    const notBefore = new Date(Date.now() - DAY_MS);
    const notAfter = new Date(Date.now() + DAY_MS);
    const old = await issueRsa(1024, { commonName: 'Old', notBefore, notAfter });
    certificates.put('server.key.pem', old.keyPem);
    certificates.put('server.cert.pem', old.certificatePem);
    return { type: 'server', replace: true };
  },
  once: ['generate'],
  onceEach: ['delete', 'generated'],
  isDone({ fleet }, index) {
    const { certificates } = fleet.devices[index]!;
    return FILES.every((file) => certificates.has(file)) && fleet.ledger.summary(index).effects['generated'] === 2;
  },
  // The old files are gone, and the new ones were not made: that is more than nothing.
  honestEnds: ['failed'],
});
