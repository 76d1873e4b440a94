import { type z } from 'zod';
import { type Artifact, type ArtifactKind } from '../../artifacts/artifact.entity.js';
import { type DeviceCertificate } from '../../devices/registry/device-certificate.entity.js';
import { type AccountPurpose } from '../../devices/registry/device.entity.js';
import { type DeviceAnswer, type DeviceRequest } from '../../proxy/calls/device-calls.js';
import { type PasswordVerdict } from '../../proxy/passwords/password-rotation.js';

/* All that a step of a kind may use: it has no clock, socket or database of its own (`engine/step-contexts.ts`). */

/** The device as the registry knows it. */
interface JobDevice {
  readonly id: string;
  readonly name: string;
  readonly serial: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
}

/** All that a kind can do to the world. */
export interface StepContext {
  readonly device: JobDevice;
  /** The instant of this step. */
  readonly now: Date;
  /**
   * Calls the device and reads `data` of its answer.
   * @throws AppError of the road to the device; `device_answer_invalid` when `data` is not what the schema says
   */
  readonly call: <Data>(request: DeviceRequest, data: z.ZodType<Data>) => Promise<Data>;
  /** As `call`, but gives the answer as it came, status and envelope included. */
  readonly answer: (request: DeviceRequest) => Promise<DeviceAnswer>;
  /** A copy of a device's JSON without its secrets, each with its fingerprint in its place; `path` is where it is from. */
  readonly hide: <Value>(value: Value, path: string) => Value;
  /**
   * Streams an answer into the artifact store. The bytes are kept only when their digest is the announced one.
   * @throws AppError of the road to the device; `device_refused` for an answer that is an error
   */
  readonly save: (request: DeviceRequest, announcedSha256: string) => Promise<Saved>;
  /** The newest backup of the device in the artifact store; null when there is none. */
  readonly lastBackup: () => Promise<StoredArtifact | null>;
  /** Notes in the registry what was learned of the device. */
  readonly learn: (facts: { readonly firmware: string; readonly apiVersion?: string }) => Promise<void>;
  /** What is known of a stored artifact; null when there is none. */
  readonly artifact: (artifactId: string) => Promise<StoredArtifact | null>;
  /**
   * Sends a stored artifact as multipart/form-data, after its bytes were compared with their digest.
   * @throws AppError as `call`; `artifact_not_found`, `artifact_damaged`, `artifact_changed` before a byte was sent
   */
  readonly upload: <Data>(request: UploadRequest, data: z.ZodType<Data>) => Promise<Data>;
  /** Ends the gateway's sessions on the device, so that the next call logs in anew. */
  readonly freshLogin: () => Promise<void>;
  /**
   * Reads a small file of the device into memory.
   * @throws AppError of the road to the device; `device_refused`; `device_answer_too_large`
   */
  readonly fetch: (request: DeviceRequest, maxBytes: number) => Promise<Buffer>;
  /** Puts bytes into the artifact store; `keep` makes an artifact of them. */
  readonly store: (bytes: Buffer) => Promise<Pick<NewArtifact, 'sha256' | 'bytes'>>;
  /**
   * The bytes of a small stored artifact, compared with their digest; its size is looked at before.
   * @throws AppError `artifact_not_found`, `artifact_damaged`, `artifact_changed`
   */
  readonly content: (artifactId: string, maxBytes: number) => Promise<Buffer>;
  readonly secrets: JobSecrets;
  /** Names of the accounts that the gateway itself logs in with. */
  readonly ownAccounts: () => Promise<readonly string[]>;
  /**
   * Whether a sealed password is that of an account: one login. The device counts a refused one (observed behaviour,
   * section 2), so a job asks once or twice, never in a loop.
   */
  readonly provePassword: (username: string, valueId: string) => Promise<boolean>;
  readonly rotation: JobRotation;
  /** Where the gateway looks for the device, and whether something proves who answers elsewhere. */
  readonly place: () => Promise<{ readonly baseUrl: string; readonly mayFollow: boolean }>;
  /**
   * Looks who answers at another address, by one login; when it is the device with this serial number, the registry has it
   * there from then on.
   * @returns the serial number of what answers
   * @throws AppError of the road to the device; `base_url_refused`, `device_credentials_refused`, `device_exists`
   */
  readonly follow: (to: string, serial: string) => Promise<string>;
  /** Writes down in the registry which certificates are on the device. */
  readonly noteCertificates: (seen: readonly SeenCertificate[]) => Promise<void>;
  /** Takes certificates that are not on the device any more out of the registry. */
  readonly forgetCertificates: (fullnames: readonly string[]) => Promise<void>;
}

/** Secrets that a job names by an id, and never holds in its row (`sealed-values.service.ts`). */
export interface JobSecrets {
  /** Makes a password, once for each name. @returns its id */
  generate(name: string, label: string): Promise<string>;
  /** Seals a text, once for each name: the first one stays. @returns its id */
  keep(name: string, label: string, text: string): Promise<string>;
  /** The secret itself, for a request to the device. @throws AppError `sealed_value_not_found` */
  open(valueId: string): Promise<string>;
  /** The passphrase that a backup was encrypted with, where the gateway has it and this device may get it; else null. */
  passphraseOf(backupId: string): Promise<string | null>;
}

/**
 * Another password for an account of the gateway itself (`proxy/passwords/password-rotation.ts`). A kind never sees one: it says
 * what is to be done with the present one and the pending one. All but `change` may be repeated without harm.
 */
export interface JobRotation {
  /** The account, and whether an earlier rotation left a pending password; null when there is none. */
  account(purpose: AccountPurpose): Promise<OwnAccount | null>;
  /** Seals the next password as pending, once for this job. @param valueId a sealed value; null: one is made */
  prepare(purpose: AccountPurpose, valueId: string | null): Promise<void>;
  /** The same with the password of the time of a backup. @returns false when that is not known, or is the present one */
  prepareFrom(purpose: AccountPurpose, backupId: string): Promise<boolean>;
  /** Sets the pending password on the device. @param userId the account's id there */
  change(purpose: AccountPurpose, userId: string): Promise<void>;
  /** One login, counted before it is sent; `spent` when this job has had its two. */
  prove(purpose: AccountPurpose, which: 'pending' | 'present'): Promise<PasswordVerdict>;
  /** Makes the pending password the present one. @returns false when the account is another one by now */
  promote(purpose: AccountPurpose, username: string): Promise<boolean>;
  /** Whether this job has done that already. */
  isPromoted(purpose: AccountPurpose): Promise<boolean>;
  /** Forgets the pending password; the present one counts. */
  drop(purpose: AccountPurpose): Promise<void>;
  /** Ends the rotation without knowing; the pending password stays for the next one. */
  stop(purpose: AccountPurpose): Promise<void>;
  /** As `stop`, when the device refused both: no session tries again by itself. */
  noteRefused(purpose: AccountPurpose): Promise<void>;
}

export interface OwnAccount {
  readonly username: string;
  /** Whether the device is known to refuse the present password. */
  readonly isRefused: boolean;
  /** Whether a rotation before this job left a password that may count. */
  readonly hasLeftover: boolean;
}

/** A certificate as it was seen on the device. */
export type SeenCertificate = Omit<DeviceCertificate, 'deviceId' | 'seenAt' | 'jobId'>;

export interface UploadRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly artifactId: string;
  /** What the device gets to see as the name of the file. */
  readonly fileName: string;
  /** Fields of the form before the file. */
  readonly fields?: Readonly<Record<string, string>>;
  /** For the whole call; bytes that move earn more time (`proxy/calls/call-limits.ts`). */
  readonly deadlineMs?: number;
}

export interface Saved {
  /** Of the bytes that came. */
  readonly sha256: string;
  readonly bytes: number;
  readonly isAsAnnounced: boolean;
}

/** An artifact as a kind may know it. */
export type StoredArtifact = Readonly<Artifact>;

/** Bytes in the artifact store that become an artifact of the job when it ends; the rows and the end are one transaction. */
export interface NewArtifact {
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}
