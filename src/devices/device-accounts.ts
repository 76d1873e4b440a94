import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { Secrets } from '../secrets/secrets.js';
import { type CredentialsInput } from './devices.contract.js';
import { type AccountPurpose, DeviceAccount } from './registry/device.entity.js';
import { passwordLocation } from './registry/devices.service.js';

export interface StoredAccounts {
  readonly account: DeviceAccount | null;
  readonly readAccount: DeviceAccount | null;
}

/** The accounts of devices as operators set them; passwords are sealed before they are stored. */
@Injectable()
export class DeviceAccounts {
  constructor(
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async of(tx: EntityManager, deviceId: string): Promise<StoredAccounts> {
    return byPurpose(await tx.findBy(DeviceAccount, { deviceId }));
  }

  /** Stores an account, in the place of one with the same purpose. Its count of refused logins begins at 0. */
  async write(
    tx: EntityManager,
    deviceId: string,
    purpose: AccountPurpose,
    input: CredentialsInput,
  ): Promise<DeviceAccount> {
    const known = await tx.findOneBy(DeviceAccount, { deviceId, purpose });
    const id = known?.id ?? randomUUID();
    return tx.save(DeviceAccount, {
      id,
      deviceId,
      purpose,
      username: input.username,
      sealedPassword: this.secrets.seal(input.password, passwordLocation(id)),
      failedLogins: 0,
      reservedLogins: 0,
      changedAt: this.clock.now(),
    });
  }

  /** A fingerprint shows whether the password changed. */
  facts(input: CredentialsInput): Record<string, unknown> {
    return { username: input.username, password: this.secrets.fingerprint(input.password) };
  }
}

function byPurpose(accounts: readonly DeviceAccount[]): StoredAccounts {
  const withPurpose = (purpose: AccountPurpose) => accounts.find((account) => account.purpose === purpose) ?? null;
  return { account: withPurpose('main'), readAccount: withPurpose('read') };
}
