import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { type HandshakeCertificate } from '../../device-api/handshake-certificate.js';
import { type FieldValues } from './device-fields.js';
import type { DeviceProfile, DeviceState, DeviceTrust } from '../../selectors/matched-device.js';

/** As JSON has it: instants are texts. */
export type OfferedCertificate = Readonly<
  Omit<HandshakeCertificate, 'notBefore' | 'notAfter'> & Record<'notBefore' | 'notAfter', string>
>;

/** A router of the fleet. The row has no secrets; accounts are in `device_account`. */
@Entity({ name: 'device' })
export class Device {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** Scheme, host and port, as `new URL().origin` writes them. */
  @Column('text', { name: 'base_url' })
  baseUrl!: string;

  /** Where calls go while it does not answer at `baseUrl`, in the same form; null: nowhere else. */
  @Column('text', { name: 'spare_url', nullable: true })
  spareUrl!: string | null;

  /** Whether it answers at `spareUrl` now (`device-addresses.ts`). */
  @Column('boolean', { name: 'by_spare' })
  bySpare!: boolean;

  @Column('text', { nullable: true })
  serial!: string | null;

  @Column('text', { nullable: true })
  mac!: string | null;

  /** A serial number that it reports, and that another device of the registry has. */
  @Column('text', { name: 'claimed_serial', nullable: true })
  claimedSerial!: string | null;

  /** As `claimedSerial`. */
  @Column('text', { name: 'claimed_mac', nullable: true })
  claimedMac!: string | null;

  /** The account of the gateway may not read its serial number, so logins do not compare it. */
  @Column('boolean', { name: 'serial_unreadable' })
  serialUnreadable!: boolean;

  @Column('text', { nullable: true })
  model!: string | null;

  @Column('text', { nullable: true })
  firmware!: string | null;

  /** The mobile network that its modem named last; null until it named one. */
  @Column('text', { name: 'network_operator', nullable: true })
  networkOperator!: string | null;

  @Column('text')
  site!: string;

  @Column('text', { array: true })
  tags!: string[];

  /** What people write down about the device. */
  @Column('text')
  note!: string;

  /** Of the hardware that was replaced under this name, the latest last. */
  @Column('text', { name: 'former_serials', array: true })
  formerSerials!: string[];

  /** Values of custom fields, by key. */
  @Column('jsonb')
  fields!: FieldValues;

  /** IANA name; maintenance windows use this clock. Null: the rollout's. */
  @Column('text', { name: 'time_zone', nullable: true })
  timeZone!: string | null;

  @Column('text')
  profile!: DeviceProfile;

  @Column('text', { name: 'api_version', nullable: true })
  apiVersion!: string | null;

  @Column('text')
  trust!: DeviceTrust;

  /** SHA-256 of the certificate's public key (SPKI, RFC 7469), `sha256/` and base64; null until the first contact. */
  @Column('text', { name: 'trust_pin', nullable: true })
  trustPin!: string | null;

  /** PEM bundle for trust `ca`. */
  @Column('text', { name: 'trust_ca', nullable: true })
  trustCa!: string | null;

  /** When trust `insecure` ends. */
  @Column('timestamptz', { name: 'trust_expires_at', nullable: true })
  trustExpiresAt!: Date | null;

  /** Simultaneous sessions of each account, 1 to 4. */
  @Column('integer')
  sessions!: number;

  /** The key that the device offered instead of the pinned one, for the operator's decision. */
  @Column('text', { name: 'offered_pin', nullable: true })
  offeredPin!: string | null;

  /** The certificate with that key, as JSON; null: it could not be read. */
  @Column('jsonb', { name: 'offered_certificate', nullable: true })
  offeredCertificate!: OfferedCertificate | null;

  @Column('text')
  state!: DeviceState;

  @Column('text', { name: 'state_reason', nullable: true })
  stateReason!: string | null;

  /** Checks in a row without an answer; `reachability.ts` says what follows. */
  @Column('integer', { name: 'failed_checks' })
  failedChecks!: number;

  @Column('timestamptz', { name: 'seen_at', nullable: true })
  seenAt!: Date | null;

  /** When a person last gave it another address or serial number; null: never. */
  @Column('timestamptz', { name: 'moved_at', nullable: true })
  movedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  @VersionColumn()
  version!: number;
}

/** `read` is for calls that only read; without that account, and for all other calls, `main` is used. */
export type AccountPurpose = 'main' | 'read';

/** A login that the gateway uses on a device. */
@Entity({ name: 'device_account' })
export class DeviceAccount {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'device_id' })
  deviceId!: string;

  @Column('text')
  purpose!: AccountPurpose;

  @Column('text')
  username!: string;

  @Column('bytea', { name: 'sealed_password' })
  sealedPassword!: Buffer;

  /** Refused logins since the last granted one, or since new credentials: 3 at most, see `LoginCounts`. */
  @Column('integer', { name: 'failed_logins' })
  failedLogins!: number;

  /** Running logins that may be refused, see `LoginCounts`. */
  @Column('integer', { name: 'reserved_logins' })
  reservedLogins!: number;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date;
}
