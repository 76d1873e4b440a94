/*
 * A directory that lets a fleet survive a restart: one file per changed device, with its certificate, accounts,
 * configuration, firmware, files and backup. Sessions are not stored: a restart of the simulator is a restart of each
 * device.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SimulatedDevice } from './device/device.js';

const SAVE_EVERY_MS = 2_000;
const WRITERS = 16;

type StoredState = Awaited<ReturnType<typeof stateOf>>;

/** What a restart of the simulator must not lose. */
async function stateOf(device: SimulatedDevice) {
  const { serial, firmware, accounts, configuration, certificates, uploads, backup, defaultBackup } = device;
  return {
    serial,
    tls: device.hasTls ? device.tls : undefined,
    firmware: firmware.version,
    accounts: accounts.export(),
    configuration: Object.fromEntries(configuration.touched()),
    certificates: Object.fromEntries(await certificates.export()),
    uploads,
    backup: backup && { ...backup, archive: backup.archive.toString('base64') },
    defaultBackup: defaultBackup?.toString('base64'),
    card: device.modem.card.export(),
    removedMessages: [...device.inbox.removed],
  };
}

export class StateDirectory {
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly onError: (error: unknown) => void,
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Restores the stored state of a device; does nothing when it is new. @throws Error when the file is not complete */
  restore(device: SimulatedDevice): void {
    let text: string;
    try {
      text = readFileSync(this.fileOf(device), 'utf8');
    } catch {
      return;
    }
    const stored = JSON.parse(text) as StoredState;
    device.serial = stored.serial;
    if (stored.tls) device.tls = stored.tls;
    device.firmware = { version: stored.firmware, image: null, download: null };
    device.accounts.restore(stored.accounts);
    device.configuration.restore(new Map(Object.entries(stored.configuration)));
    device.certificates.restore(new Map(Object.entries(stored.certificates)));
    device.uploads = stored.uploads;
    const { backup } = stored;
    device.backup = backup ? { ...backup, archive: Buffer.from(backup.archive, 'base64') } : null;
    device.defaultBackup = stored.defaultBackup === undefined ? null : Buffer.from(stored.defaultBackup, 'base64');
    for (const id of stored.removedMessages) device.inbox.removed.add(id);
    device.modem.card.restore(stored.card);
    device.powerOn();
    device.isChanged = false;
  }

  /** Writes what changes from now on, until `stop`. */
  watch(devices: readonly SimulatedDevice[]): void {
    this.timer = setInterval(() => void this.save(devices), SAVE_EVERY_MS);
    this.timer.unref();
  }

  /** Writes every device that changed since it was written. */
  save(devices: readonly SimulatedDevice[]): Promise<void> {
    this.saving = this.saving.then(async () => {
      const changed = devices.filter((device) => device.isChanged);
      const writer = async (): Promise<void> => {
        for (let device = changed.pop(); device; device = changed.pop()) await this.write(device);
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
    });
    return this.saving.catch(this.onError);
  }

  async stop(devices: readonly SimulatedDevice[]): Promise<void> {
    clearInterval(this.timer);
    await this.save(devices);
  }

  /** A complete file replaces the old one: a kill in the middle leaves the old one. */
  private async write(device: SimulatedDevice): Promise<void> {
    device.isChanged = false;
    const file = this.fileOf(device);
    await writeFile(`${file}.new`, JSON.stringify(await stateOf(device)), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  private fileOf({ index }: SimulatedDevice): string {
    return path.join(this.directory, `device-${String(index).padStart(5, '0')}.json`);
  }
}
