/* Backup and restore. Generating is synchronous: the answer comes when the archive is there (observed-devices.md 3, Backup). */
import { hash } from 'node:crypto';
import { backupDigests, backupStatus, PATHS, restoreAnswer } from '../../device-api/contract.js';
import { applyBackup, modelOf, packBackup, unpackBackup } from '../device/backup-archive.js';
import type { SimulatedDevice } from '../device/device.js';
import { KeepingSink, ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { DURATIONS } from '../device/profile.js';
import { dataOf, fileAnswer, onGet, onPost, type Route } from '../http/route.js';

/** In place of the digest of a backup that is not there. */
const NO_DIGEST = '-';

function status(device: SimulatedDevice): SimulatedAnswer {
  const { backup } = device;
  return ok({
    backup_exists: backup === null ? '0' : '1',
    default_exists: device.defaultBackup === null ? '0' : '1',
    sha256: backup?.sha256 ?? NO_DIGEST,
    md5: backup?.md5 ?? NO_DIGEST,
  });
}

function passwordFor(request: SimulatedRequest): string | undefined {
  const { encrypt = '0', password } = dataOf(request);
  const section = 'generate_backup';
  if (encrypt !== '0' && encrypt !== '1') throw new DeviceRefusal(103, { source: 'encrypt', section, value: encrypt });
  if (encrypt === '0') return undefined;
  if (typeof password !== 'string' || password.length < 8)
    throw new DeviceRefusal(103, { source: 'password', section });
  return password;
}

async function generate(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  const password = passwordFor(request);
  await device.clock.work(device.random.integer(...DURATIONS.backup));
  const archive = await packBackup(device, password);
  const [sha256, md5] = [hash('sha256', archive), hash('md5', archive)];
  const date = new Date(device.clock.now()).toISOString().slice(0, 10);
  if (device.faults.strikeOperation('backup-corrupt')) archive[archive.length >> 1]! ^= 0xff;
  device.backup = { archive, name: `backup-${device.name}-${date}.tar.gz`, sha256, md5 };
  device.did(request.entry, 'backup', sha256);
  return ok({ sha256, md5 });
}

function download(device: SimulatedDevice): SimulatedAnswer {
  if (!device.backup)
    throw new DeviceRefusal(113, { error: 'There is no backup', source: 'backup', section: 'download', status: 404 });
  return fileAnswer(device.backup.archive, device.backup.name, 'application/gzip');
}

function upload(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const file = request.file!;
  device.uploadedBackup = (file.sink as KeepingSink).bytes();
  device.did(request.entry, 'upload', file.sha256);
  return ok({ path: '/tmp/backup.tar.gz', sha256: file.sha256, md5: file.md5 });
}

/** Answers where the device will be, then reboots with the settings of the archive. */
async function apply(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  const section = 'apply_backup';
  const bytes = device.uploadedBackup;
  if (!bytes)
    throw new DeviceRefusal(113, { error: 'There is no uploaded backup', source: 'backup', section, status: 404 });
  const { password } = dataOf(request);
  const files = await unpackBackup(bytes, typeof password === 'string' ? password : undefined).catch(() => null);
  if (!files || modelOf(files) !== device.model) {
    throw new DeviceRefusal(103, { error: 'The archive is no backup of this model', source: 'backup', section });
  }
  device.uploadedBackup = null;
  const { entry } = request;
  const port = device.faults.strikeOperation('restore-moves')?.port ?? device.port;
  if (!device.faults.strikeOperation('restore-nothing')) {
    device.reboot(entry, () => {
      applyBackup(device, files);
      device.moveTo(port);
      device.didLater('restore', undefined, entry);
    });
  }
  return ok({ lan_ipv4: device.host, lan_ipv6: '', http_port: String(port), https_port: String(port) });
}

function remove(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  device.backup = null;
  device.did(request.entry, 'delete', 'backup');
  return ok({ sha256: NO_DIGEST, md5: NO_DIGEST });
}

/** The settings as they are now become those that a reset to the user's defaults brings back. */
async function createDefault(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  device.defaultBackup = await packBackup(device);
  device.did(request.entry, 'create', 'default settings');
  return ok({});
}

function removeDefault(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  if (!device.defaultBackup) throw new DeviceRefusal(113, { source: 'backup', section: 'default' });
  device.defaultBackup = null;
  device.did(request.entry, 'delete', 'default settings');
  return ok({});
}

/** Answers, then reboots with the factory's settings (without those of the system: with the own accounts), or the user's. */
async function resetSettings(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  const { type } = dataOf(request);
  const stored = device.defaultBackup;
  if (type !== 'system' && type !== 'factory' && type !== 'user')
    throw new DeviceRefusal(103, { source: 'type', value: type });
  if (type === 'user' && !stored) throw new DeviceRefusal(113, { source: 'backup', section: 'default' });
  const files = type === 'user' ? await unpackBackup(stored!) : null;
  const { entry } = request;
  device.reboot(entry, () => {
    if (files) applyBackup(device, files);
    else if (type === 'factory') device.factoryReset(entry);
    else device.configuration.reset();
  });
  const port = String(device.port);
  return ok({ lan_ip: device.host, lan_ipv6: '', http_port: port, https_port: port });
}

export const BACKUP_ROUTES: readonly Route[] = [
  onGet(PATHS.backupStatus, 'Whether there is a backup, and its digests', status, { answer: backupStatus }),
  onPost(PATHS.generateBackup, 'Makes a backup and answers when it is done', generate, {
    answer: backupDigests,
    codes: [103],
    effect: 'backup',
  }),
  onPost(PATHS.downloadBackup, 'The backup as tar.gz', download, { codes: [113] }),
  onPost(PATHS.uploadBackup, 'Takes a backup to restore', upload, {
    upload: () => new KeepingSink(),
    codes: [150, 151],
    effect: 'upload',
  }),
  onPost(PATHS.applyBackup, 'Restores the uploaded backup and reboots', apply, {
    answer: restoreAnswer,
    codes: [103, 113],
    effect: 'restore',
  }),
  onPost('/api/backup/actions/delete', 'Forgets the backup', remove, { effect: 'delete' }),
  onPost('/api/backup/actions/create_default', 'Makes the settings the defaults of the user', createDefault, {
    effect: 'create',
  }),
  onPost('/api/backup/actions/remove_default', 'Forgets the defaults of the user', removeDefault, {
    codes: [113],
    effect: 'delete',
  }),
  onPost('/api/backup/actions/reset_settings', 'Resets the settings and reboots', resetSettings, {
    codes: [103, 113],
    effect: 'factory-reset',
  }),
];
