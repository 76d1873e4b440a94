import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type AccountPurpose } from '../../devices/registry/device.entity.js';
import { DevicesService, passwordLocation } from '../../devices/registry/devices.service.js';
import { Secrets } from '../../secrets/secrets.js';

/*
 * A backup holds the accounts of its device as they were, so a restore brings their passwords back. The gateway stores its
 * own passwords of that time with the backup, sealed, and they are removed with it: without them, a restore of a backup
 * from before the last rotation would lock the gateway out.
 */

@Injectable()
export class BackupPasswords {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'open' | 'seal'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get' | 'openPassword'>,
  ) {}

  /** Stores the passwords that the gateway has now, in the transaction that stores the backup. */
  async store(tx: EntityManager, artifactId: string, deviceId: string): Promise<void> {
    const accounts = await tx.query<{ accountId: string; purpose: AccountPurpose; username: string; sealed: Buffer }[]>(
      `select id as "accountId", purpose, username, sealed_password as sealed
         from device_account where device_id = $1 and failed_logins = 0`,
      [deviceId],
    );
    for (const { accountId, purpose, username, sealed } of accounts) {
      const id = randomUUID();
      const password = this.secrets.open(sealed, passwordLocation(accountId));
      await tx.query(
        `insert into backup_account (id, artifact_id, purpose, username, sealed_password) values ($1, $2, $3, $4, $5)`,
        [id, artifactId, purpose, username, this.secrets.seal(password, locationOf(id))],
      );
    }
  }

  /** An account's password at the time of a backup; null when it is unknown, or is the present one. */
  async otherThanNow(artifactId: string, deviceId: string, purpose: AccountPurpose): Promise<string | null> {
    const target = await this.devices.get(deviceId);
    const present = purpose === 'main' ? target.account : target.readAccount;
    if (!present) return null;
    const [stored] = await this.db.query<{ id: string; sealed: Buffer }[]>(
      `select backup_account.id, sealed_password as sealed from backup_account join artifact on artifact.id = artifact_id
        where artifact_id = $1 and artifact.device_id = $2 and purpose = $3 and username = $4`,
      [artifactId, deviceId, purpose, present.username],
    );
    if (!stored) return null;
    const password = this.secrets.open(stored.sealed, locationOf(stored.id));
    return password === this.devices.openPassword(present) ? null : password;
  }
}

const locationOf = (rowId: string) => ({ table: 'backup_account', column: 'sealed_password', rowId });
