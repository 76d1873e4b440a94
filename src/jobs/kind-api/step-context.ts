import { type z } from 'zod';
import { type Artifact, type ArtifactKind } from '../../artifacts/artifact.entity.js';
import { type AccountPurpose } from '../../devices/registry/device.entity.js';
import { type DeviceAnswer, type DeviceRequest } from '../../proxy/calls/device-calls.js';
import { type Failure } from '../rows/job-state.js';
import { type PasswordVerdict } from '../password-rotation/password-rotation.js';

/* All that a step of a kind may use: it has no clock, socket or database of its own (`engine/step-context-factory.ts`). */

interface JobDevice {
  readonly id: string;
  readonly name: string;
  readonly serial: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
}

/** Everything that a kind may do. */
export interface StepContext {
  readonly device: JobDevice;
  /** The time of this step. */
  readonly now: Date;
  /** Calls the device and reads `data` of its answer. @throws AppError of the call; `device_answer_invalid` */
  readonly call: <Data>(request: DeviceRequest, data: z.ZodType<Data>) => Promise<Data>;
  /** As `call`, but returns the complete answer with status and envelope. */
  readonly callForEnvelope: (request: DeviceRequest) => Promise<DeviceAnswer>;
  /** A copy of a device's JSON with fingerprints in place of its secrets; `path` is its source. */
  readonly redacted: <Value>(value: Value, path: string) => Value;
  /** Stores the body of a device's answer if it has the announced digest. @throws AppError of the call; `device_refused` */
  readonly save: (request: DeviceRequest, announcedSha256: string) => Promise<SavedFile>;
  /** The newest backup of the device in the artifact store; null when there is none. */
  readonly lastBackup: () => Promise<StoredArtifact | null>;
  /** Records observations of the device in the registry. */
  readonly storeObservations: (facts: { readonly firmware: string; readonly apiVersion?: string }) => Promise<void>;
  /** A stored artifact; null when there is none. */
  readonly artifact: (artifactId: string) => Promise<StoredArtifact | null>;
  /**
   * Sends a stored artifact as multipart/form-data, after comparing its bytes with their digest.
   * @throws AppError as `call`; `artifact_not_found`, `artifact_damaged`, `artifact_changed` before a byte was sent
   */
  readonly upload: <Data>(request: UploadRequest, data: z.ZodType<Data>) => Promise<Data>;
  /** Ends the gateway's sessions on the device, so that the next call logs in again. */
  readonly endSessions: () => Promise<void>;
  /** Reads a small file of the device. @throws AppError of the call; `device_refused`; `device_answer_too_large` */
  readonly readFile: (request: DeviceRequest, maxBytes: number) => Promise<Buffer>;
  /** Stores bytes that the kind made; they become an artifact at the end of the job. */
  readonly store: (bytes: Buffer) => Promise<Pick<NewArtifact, 'sha256' | 'bytes'>>;
  /**
   * The bytes of a small stored artifact, compared with their digest; the size is checked first.
   * @throws AppError `artifact_not_found`, `artifact_damaged`, `artifact_changed`
   */
  readonly content: (artifactId: string, maxBytes: number) => Promise<Buffer>;
  readonly secrets: JobSecrets;
  /** What published templates say of the device. */
  readonly templates: () => JobTemplates;
  /** Names of the gateway's own accounts on the device. */
  readonly ownAccounts: () => Promise<readonly string[]>;
  /** Checks a sealed password by one login; the device counts refused ones (observed-devices.md 2). */
  readonly provePassword: (username: string, valueId: string) => Promise<boolean>;
  readonly rotation: JobRotation;
  /** The present addresses of the device, and whether trust can prove the device at another one. */
  readonly address: () => Promise<{
    readonly baseUrl: string;
    readonly spareUrl: string | null;
    readonly mayFollow: boolean;
  }>;
  /**
   * Logs in once at another address. When the device with this serial number answers, the registry gets the address.
   * Repeated after that, it only logs in.
   * @param keepOld whether the old address becomes the spare one
   * @returns the serial number of the answering device
   * @throws AppError of the call; `base_url_refused`, `device_credentials_refused`, `device_exists`
   */
  readonly relocate: (to: string, serial: string, keepOld?: boolean) => Promise<string>;
  /** Records the certificates on the device in the registry. */
  readonly noteCertificates: (seen: readonly SeenCertificate[]) => Promise<void>;
  /** Removes certificates from the registry that are no longer on the device. */
  readonly forgetCertificates: (fullnames: readonly string[]) => Promise<void>;
}

/** The configuration of a device at some paths, without secrets. A path that is missing is not on the device. */
export type ReadPaths = ReadonlyMap<string, unknown>;

/** What a template changes on the device of a job now. */
export interface TemplateChanges {
  readonly number: number;
  /** At most as many as `configure` takes; as its spec has them. */
  readonly changes: readonly object[];
  /** Changes beyond those. */
  readonly left: number;
  /** Names of the options that the device changed and that are put back. */
  readonly putBack: readonly string[];
}

/** Published templates for the device of a job. Each method may be repeated without harm. */
export interface JobTemplates {
  /** The paths of the version in force. @returns a failure where it does not apply to the device, or its author may not */
  paths(template: string): Promise<readonly string[] | Failure>;
  /** Plans with what was read; makes the secrets that the device is to get. @returns as `paths`, also for a device that cannot be compared */
  changes(template: string, read: ReadPaths): Promise<TemplateChanges | Failure>;
  /** Stores what the device answered after the changes. */
  note(template: string, made: Omit<TemplateChanges, 'changes'>, read: ReadPaths): Promise<void>;
}

/** Secrets that a job references by id; its row never contains them (`sealed-values.service.ts`). */
export interface JobSecrets {
  /** Generates a password, once for each name. @returns its id */
  generate(name: string, label: string): Promise<string>;
  /** Seals a text, once for each name: the first one stays. @returns its id */
  seal(name: string, label: string, text: string): Promise<string>;
  /** The secret itself, for a request to the device. @throws AppError `sealed_value_not_found` */
  open(valueId: string): Promise<string>;
  /** The passphrase of a backup, when the gateway has it and this device may get it; else null. */
  passphraseOf(backupId: string): Promise<string | null>;
}

/**
 * Rotates the password of an account of the gateway (`jobs/password-rotation/`). A kind never sees a
 * password: it only selects the present or the pending one. All methods except `change` may be repeated without harm.
 */
export interface JobRotation {
  /** The account, and whether an earlier rotation left a pending password; null when there is none. */
  account(purpose: AccountPurpose): Promise<OwnAccount | null>;
  /** Seals the next password as pending, once for this job. @param valueId a sealed value; null generates one */
  prepare(purpose: AccountPurpose, valueId: string | null): Promise<void>;
  /** As `prepare`, with the password of the time of a backup. @returns false when it is unknown, or the present one */
  prepareFrom(purpose: AccountPurpose, backupId: string): Promise<boolean>;
  /** Sets the pending password on the device. @param userId the account's id there */
  change(purpose: AccountPurpose, userId: string): Promise<void>;
  /** One login, counted before it is sent; `spent` when this job has made its two logins. */
  prove(purpose: AccountPurpose, which: 'pending' | 'present'): Promise<PasswordVerdict>;
  /** Makes the pending password the present one. @returns false when the account has changed */
  activate(purpose: AccountPurpose, username: string): Promise<boolean>;
  /** Whether this job has done that already. */
  isActivated(purpose: AccountPurpose): Promise<boolean>;
  /** Drops the pending password; the present one counts. */
  drop(purpose: AccountPurpose): Promise<void>;
  /** Ends the rotation without a result; the pending password stays for the next one. */
  stop(purpose: AccountPurpose): Promise<void>;
  /** As `stop`, when the device refused both: no session retries automatically. */
  noteRefused(purpose: AccountPurpose): Promise<void>;
}

export interface OwnAccount {
  readonly username: string;
  /** Whether the device is known to refuse the present password. */
  readonly isRefused: boolean;
  /** Whether an earlier rotation left a password that may be valid. */
  readonly hasLeftover: boolean;
}

export interface SeenCertificate {
  readonly fullname: string;
  readonly type: string;
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly fingerprint: string;
}

export interface UploadRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly artifactId: string;
  readonly fileName: string;
  /** Fields of the form before the file. */
  readonly fields?: Readonly<Record<string, string>>;
  /** For the complete call; transferred bytes extend it (`proxy/calls/call-limits.ts`). */
  readonly deadlineMs?: number;
}

export interface SavedFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly isAsAnnounced: boolean;
}

export type StoredArtifact = Readonly<Artifact>;

/** Stored bytes that become an artifact at the end of the job; the rows and the end are one transaction. */
export interface NewArtifact {
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}
