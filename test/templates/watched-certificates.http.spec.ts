import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '../../src/simulator/device/certificates.js';
import { addPerson } from '../support/people.js';
import { startWatchedWorld, type WatchedWorld } from '../support/watched-world.js';

/* Certificates that a watch finds in the lists of devices: read once, by their public files. */

const PATH = '/api/certificates/config';
const DAY_MS = 86_400_000;

let world: WatchedWorld;

interface CertificateView {
  readonly file: string | null;
  readonly subject: string | null;
  readonly notAfter: string | null;
  readonly fingerprint: string | null;
  readonly jobId: string | null;
}

beforeAll(async () => {
  world = await startWatchedWorld(['a', 'b', 'c']);
});
afterAll(() => world.close());

/** Puts a key and its certificate on a device, behind the back of the gateway. @returns when it ends */
function put(index: number, name: string, days: number): string {
  const notAfter = new Date(Date.now() + days * DAY_MS);
  const made = selfSigned({ commonName: name, notBefore: new Date(), notAfter });
  const { certificates } = world.fleet.devices[index]!;
  certificates.put(`${name}.cert.pem`, made.certificatePem);
  certificates.put(`${name}.key.pem`, made.keyPem);
  return new Date(new X509Certificate(made.certificatePem).validTo).toISOString();
}

async function installed(index: number): Promise<CertificateView[]> {
  const { items } = await world.api.get<{ items: CertificateView[] }>(`/v1/certificates?device=${world.ids[index]}`);
  return items.filter(({ file }) => file !== null);
}

const downloads = (index: number): string[] =>
  world.fleet.ledger
    .entries({ method: 'POST' })
    .filter(({ device, path }) => device === index && path.endsWith('/actions/download'))
    .map(({ path }) => path);

it('are listed with their true end after one pass, and are not read again', async () => {
  const end = put(0, 'web', 90);
  await world.api.post('/v1/watches', { name: 'certificates-now', selector: 'site:a', paths: [PATH] });
  await world.run('certificates-now');
  expect(await installed(0)).toMatchObject([
    { file: 'web.cert.pem', subject: 'CN=web', notAfter: end, fingerprint: expect.any(String), jobId: null },
  ]);
  await world.run('certificates-now');
  expect(downloads(0)).toEqual(['/api/certificates/web.cert.pem/actions/download']);
  const entries = await world.db.query<object[]>(`select subject from audit_entry where actor = 'system:watches'`);
  expect(entries).toEqual([{ subject: 'POST /api/certificates/web.cert.pem/actions/download' }]);
});

it('are read again when the device has another file of that name, and leave the list with it', async () => {
  const before = await installed(0);
  const [listed] = world.fleet.devices[0]!.certificates.listing().generated;
  let end = '';
  await expect
    .poll(() => {
      end = put(0, 'web', 30);
      return world.fleet.devices[0]!.certificates.listing().generated[0]!.timestamp;
    })
    .not.toBe(listed!.timestamp);
  await world.run('certificates-now');
  expect(await installed(0)).toMatchObject([{ file: 'web.cert.pem', notAfter: end }]);
  expect(before).not.toMatchObject([{ notAfter: end }]);
  world.fleet.devices[0]!.certificates.remove('web.cert.pem');
  await world.run('certificates-now');
  expect(await installed(0)).toEqual([]);
});

it('are listed last, as unknown, where they are no certificate or the author may not read them', async () => {
  world.fleet.devices[1]!.certificates.put('odd.cert.pem', 'no certificate');
  const end = put(1, 'good', 60);
  await world.api.post('/v1/watches', { name: 'of-b', selector: 'site:b', paths: [PATH] });
  await world.run('of-b');
  await world.run('of-b');
  const unknown = { subject: null, notAfter: null, fingerprint: null };
  const both = [
    { file: 'good.cert.pem', notAfter: end },
    { file: 'odd.cert.pem', ...unknown },
  ];
  expect(await installed(1)).toMatchObject(both);
  expect(downloads(1)).toHaveLength(2);
  const rules = [
    { effect: 'allow', permissions: ['device.read', 'device.call_read', 'observed.read', 'monitoring.manage'] },
  ];
  await world.api.send('PUT', '/v1/roles/reader', { rules });
  const { api } = await addPerson(world, 'Ria', [{ role: 'reader' }]);
  put(2, 'web', 60);
  await api.post('/v1/watches', { name: 'of-c', selector: 'site:c', paths: [PATH] });
  await world.run('of-c');
  expect(await installed(2)).toMatchObject([{ file: 'web.cert.pem', ...unknown }]);
  expect(downloads(2)).toEqual([]);
  // Pages go on after the last one with an end.
  const seen: (string | null)[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: { items: CertificateView[]; next: string | null } = await world.api.get(
      `/v1/certificates?limit=1${next === '' ? '' : `&cursor=${next}`}`,
    );
    seen.push(...page.items.filter(({ file }) => file !== null).map(({ file }) => file));
    next = page.next;
  }
  expect(seen).toHaveLength(3);
  expect(seen[0]).toBe('good.cert.pem');
  expect(new Set(seen)).toEqual(new Set(['good.cert.pem', 'odd.cert.pem', 'web.cert.pem']));
});
