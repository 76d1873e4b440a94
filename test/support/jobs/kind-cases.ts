import { packBackup } from '../../../src/simulator/device/backup-archive.js';
import { issueRsa } from '../../../src/simulator/device/certificates.js';
import { FAMILIES, NEWEST_VENDOR_FIRMWARE, firmwareName } from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { type LedgerEntry } from '../../../src/simulator/device/ledger.js';
import { type FleetOptions, type SimulatedDevice } from '../../../src/simulator/fleet.js';
import { DatabaseLink } from '../servers/database-link.js';
import { type KindWorld } from './kind-world.js';

/** What the laws need to know of a kind of job: its spec, and what the ledger of the simulated device must hold. */
export interface KindCase {
  readonly kind: string;
  /** The devices; absent: RUTX50 of the profile `rutos`. */
  readonly fleet?: Omit<FleetOptions, 'devices' | 'seed' | 'timeScale'>;
  /** Makes what the job needs (artifacts, users on the device) and gives its spec. */
  readonly spec?: (world: KindWorld, index: number) => object | Promise<object>;
  /** Effects in the ledger that may take place once at most. */
  readonly once: readonly Effect[];
  /** Effects that may take place once at most for each thing that they are about, such as a file. */
  readonly onceEach?: readonly Effect[];
  /** Whether the device is in the state that the job was for. */
  readonly isDone: (world: KindWorld, index: number) => boolean;
  /** Ends that tell the truth where the device is not in that state; absent: `not_executed`. */
  readonly honestEnds?: readonly string[];
}

type Effect = NonNullable<LedgerEntry['effects']>[number]['effect'];

const DAY_MS = 86_400_000;

let templates = 0;
const CERTIFICATE_FILES = ['server.key.pem', 'server.cert.pem'];
const UPLOADED_FILE = 'office.pem';

const CHANGES = [
  { action: 'create', path: '/api/wireguard/config', data: { id: 'site', listen_port: '51999' } },
  { action: 'update', path: '/api/ntp/global', data: { interval: '7200' } },
  { action: 'delete', path: '/api/ntp/servers/config/2' },
];

/** Another address of a simulated device, as long as this process lives. */
export async function elsewhere({ baseUrl }: SimulatedDevice): Promise<string> {
  const link = await DatabaseLink.open(baseUrl);
  link.unref();
  return new URL(link.through()).origin;
}

const openvpn = (device: SimulatedDevice) => ({ declaration: device.declarations.get('openvpn')!, key: 'openvpn' });

/** All kinds of job, in the order of the alphabet; `test/jobs/kinds/every-kind.spec.ts` fails when one is missing. */
export const KIND_CASES: readonly KindCase[] = [
  {
    kind: 'backup',
    once: ['backup'],
    isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['backup'] === 1,
    // A device that makes none, however often it is asked: the job cannot tell whether it never will.
    honestEnds: ['not_executed', 'unknown'],
  },
  {
    kind: 'call',
    spec: () => ({ method: 'POST', path: '/api/wireguard/config', data: { id: 'site', listen_port: '51820' } }),
    once: ['create'],
    isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['create'] === 1,
  },
  {
    // Certificates that are there are replaced: the old files are removed, one by one, and then new ones are made.
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
      const { effects } = fleet.ledger.summary(index);
      return CERTIFICATE_FILES.every((file) => certificates.has(file)) && effects['generated'] === 2;
    },
    // The old files are gone, and the new ones were not made: that is more than nothing.
    honestEnds: ['failed'],
  },
  {
    kind: 'configure',
    spec: () => ({ changes: CHANGES }),
    once: ['create', 'update', 'delete'],
    isDone({ fleet }, index) {
      const { create = 0, update = 0, delete: removed = 0 } = fleet.ledger.summary(index).effects;
      return create === 1 && update === 1 && removed === 1;
    },
  },
  {
    kind: 'credentials',
    once: ['update'],
    // What the devices of a simulated fleet come with begins so.
    isDone: ({ fleet }, index) => !fleet.devices[index]!.accounts.find('admin')!.password.startsWith('Router-'),
  },
  {
    kind: 'firmware',
    async spec(world) {
      const image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE), { kind: 'firmware' });
      return { artifactId: image.id, backup: 'skip' };
    },
    once: ['flash', 'reboot'],
    isDone: ({ fleet }, index) =>
      fleet.devices[index]!.firmware.version === firmwareName(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE),
  },
  {
    // The effect is in the registry. What the device sees of it are two logins: of the look, and of the proof after it.
    kind: 'move',
    spec: async ({ fleet }, index) => ({ to: await elsewhere(fleet.devices[index]!) }),
    once: [],
    isDone: ({ fleet }, index) => fleet.ledger.summary(index).logins > 1,
  },
  {
    kind: 'reboot',
    once: ['reboot'],
    isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['reboot'] === 1,
  },
  {
    // The changes of `configure`, by a template of the device alone.
    kind: 'reconcile',
    async spec({ gateway: { api }, ids }, index) {
      const template = `law-${index}-${++templates}`;
      const items = [
        { path: '/api/wireguard/config', key: { id: 'site' }, options: { listen_port: '51999' } },
        { path: '/api/ntp/global', options: { interval: '7200' } },
      ];
      await api.post('/v1/templates', { name: template, selector: `id:${ids[index]}`, items });
      await api.post(`/v1/templates/${template}/publish`, { reason: 'the laws' });
      return { template };
    },
    once: ['create', 'update'],
    isDone({ fleet }, index) {
      const { create = 0, update = 0 } = fleet.ledger.summary(index).effects;
      return create === 1 && update === 1;
    },
  },
  {
    kind: 'restore',
    async spec(world, index) {
      const device = world.fleet.devices[index]!;
      const name = `backup-${device.serial}-20261120T120000Z.tar.gz`;
      const backup = await world.keep(await packBackup(device), { kind: 'backup', name, deviceId: world.ids[index]! });
      return { artifactId: backup.id };
    },
    once: ['restore', 'reboot'],
    isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['restore'] === 1,
  },
  {
    kind: 'upload',
    async spec(world, index) {
      const notBefore = new Date(Date.now() - DAY_MS);
      const notAfter = new Date(Date.now() + 365 * DAY_MS);
      const { certificatePem } = await issueRsa(1024, { commonName: 'Office', notBefore, notAfter, authority: true });
      const file = { kind: 'file', name: UPLOADED_FILE } as const;
      const { id: artifactId } = await world.keep(Buffer.from(certificatePem), file);
      const device = world.fleet.devices[index]!;
      device.configuration.create(openvpn(device), { id: 'office' });
      const into = { path: '/api/openvpn/config/office', option: 'ca' };
      return { artifactId, path: '/api/certificates/root_ca/config', fileName: UPLOADED_FILE, into };
    },
    once: ['upload', 'update'],
    isDone({ fleet }, index) {
      const device = fleet.devices[index]!;
      const { ca } = device.configuration.get(openvpn(device), 'office');
      return device.certificates.has(UPLOADED_FILE) && ca === `/etc/certificates/${UPLOADED_FILE}`;
    },
  },
  {
    kind: 'users',
    spec: () => ({ accounts: [{ username: 'ops', group: 'user' }] }),
    once: ['create'],
    isDone: ({ fleet }, index) => fleet.devices[index]!.accounts.find('ops') !== undefined,
    // The account is there, and something after it (the proof of its password) could not be done.
    honestEnds: ['not_executed', 'failed'],
  },
];
