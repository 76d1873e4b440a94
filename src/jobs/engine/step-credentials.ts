import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type CallContext } from '../../proxy/calls/device-calls.js';
import { type Relocation, SingleLogins } from '../../proxy/sessions/single-logins.js';
import { PasswordRotation, type RotatingAccount } from '../password-rotation/password-rotation.js';
import { BackupPasswords } from '../rows/backup-passwords.js';
import { type JobRow } from '../rows/job.entity.js';
import { type JobRotation, type JobSecrets, type OwnAccount } from '../kind-api/step-context.js';
import { SealedValuesService } from '../sealed-values/sealed-values.service.js';

/*
 * What a step does with secrets and accounts: stores and uses secrets, identifies the gateway's own accounts, checks a
 * password, rotates it, follows a device whose login proves it. Each may be repeated without harm, except `change` of a rotation.
 */

/** Without characters that look alike or that are special in a shell or a form. */
const ALPHABETS = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-_.+='] as const;

/** 24 characters of 61: over 140 bits. */
const PASSWORD_LENGTH = 24;

@Injectable()
export class StepCredentials {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SealedValuesService) private readonly values: SealedValuesService,
    @Inject(SingleLogins) private readonly logins: Pick<SingleLogins, 'prove' | 'addressOf' | 'relocate'>,
    @Inject(PasswordRotation) private readonly rotation: PasswordRotation,
    @Inject(BackupPasswords) private readonly backups: Pick<BackupPasswords, 'otherThanNow'>,
  ) {}

  secretsOf(job: JobRow): JobSecrets {
    return {
      generate: (name, label) => this.values.sealFor(job, name, label, () => newPassword()),
      seal: (name, label, text) => this.values.sealFor(job, name, label, () => text),
      open: (valueId) => this.values.openFor(job, valueId),
      passphraseOf: (backupId) => this.values.passphraseFor(job, backupId),
    };
  }

  /** Names of the gateway's own accounts on the device. */
  async ownAccounts(job: JobRow): Promise<string[]> {
    const rows = await this.db.query<{ username: string }[]>(
      'select distinct username from device_account where device_id = $1 order by username',
      [job.deviceId],
    );
    return rows.map(({ username }) => username);
  }

  async provePassword(job: JobRow, username: string, valueId: string): Promise<boolean> {
    return this.logins.prove(job.deviceId, username, await this.values.openFor(job, valueId));
  }

  addressOf(job: JobRow) {
    return this.logins.addressOf(job.deviceId);
  }

  relocate(job: JobRow, move: Relocation, { actor }: CallContext): Promise<string> {
    return this.logins.relocate(job.deviceId, move, actor, job.id);
  }

  rotationOf(job: JobRow, caller: CallContext): JobRotation {
    const { rotation } = this;
    const { id: jobId, deviceId } = job;
    return {
      account: async (purpose) => ownAccountOf(await rotation.find(deviceId, purpose), jobId),
      prepare: (purpose, valueId) =>
        rotation.prepare(deviceId, purpose, jobId, async () =>
          valueId === null ? newPassword() : this.values.openFor(job, valueId),
        ),
      prepareFrom: async (purpose, backupId) => {
        const password = await this.backups.otherThanNow(backupId, deviceId, purpose);
        if (password !== null) await rotation.prepare(deviceId, purpose, jobId, () => Promise.resolve(password));
        return password !== null;
      },
      change: (purpose, userId) => rotation.change(deviceId, purpose, userId, caller),
      prove: (purpose, which) => rotation.prove(deviceId, purpose, which, jobId),
      activate: (purpose, username) => rotation.activate(deviceId, purpose, username, jobId, caller.actor),
      isActivated: async (purpose) => (await rotation.find(deviceId, purpose))?.rotatedBy === jobId,
      drop: (purpose) => rotation.drop(deviceId, purpose),
      stop: (purpose) => rotation.stop(deviceId, purpose),
      noteRefused: (purpose) => rotation.noteRefused(deviceId, purpose),
    };
  }
}

function ownAccountOf(account: RotatingAccount | null, jobId: string): OwnAccount | null {
  if (!account) return null;
  const { username, failedLogins, pendingJob } = account;
  return { username, isRefused: failedLogins > 0, hasLeftover: pendingJob !== null && pendingJob !== jobId };
}

/** At least one character of every kind, as devices require (observed-devices.md 2). */
export function newPassword(length = PASSWORD_LENGTH): string {
  const any = ALPHABETS.join('');
  const characters = [...ALPHABETS, ...Array<string>(length - ALPHABETS.length).fill(any)].map(
    (alphabet) => alphabet[randomInt(alphabet.length)]!,
  );
  for (let last = characters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [characters[last], characters[other]] = [characters[other]!, characters[last]!];
  }
  // A first character that no program reads as an option or a number.
  const first = characters.findIndex((character) => /[a-z]/i.test(character));
  [characters[0], characters[first]] = [characters[first]!, characters[0]!];
  return characters.join('');
}
