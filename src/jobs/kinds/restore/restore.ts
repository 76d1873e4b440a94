import { z } from 'zod';
import { PATHS, restoreAnswer } from '../../../device-api/contract.js';
import { type AppError } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import { failureOf, isDeviceRefusal } from '../../rows/step-error.js';
import { endOfOtherDevice, endIfOtherSerial } from '../../kind-api/identity.js';
import {
  type CursorAt,
  defineKind,
  type EffectVerdict,
  type Evidence,
  type KindResult,
  type ProgressInput,
} from '../../kind-api/kind.js';
import {
  approvedSha256,
  effect,
  end,
  endWith,
  go,
  hasCode,
  mayBeOnDevice,
  refused,
  storeFailure,
  succeed,
} from '../../kind-api/outcomes.js';
import { awayForMs, probe } from '../../kind-api/restart.js';
import { type StepContext, type StoredArtifact } from '../../kind-api/step-context.js';
import { announcement, concludeRestore, addressesOf, takePasswords } from './restore-result.js';

/*
 *   identify --> upload --> apply ==effect==> (away, not ready, perhaps at another address) --> confirm --> succeeded
 *                  ^          | the device has lost the file
 *                  +----------+
 *
 * Replaces the configuration of a device by a stored backup. Uploading is repeatable: the device stores one file, and the
 * next upload replaces it. Applying is the dangerous effect and the point of no return. The device answers with its
 * next address and restarts, so its answer proves nothing, and `restore-result.ts` determines the result.
 *
 * Success means the same serial number, a restarted uptime, and a new login with the stored credentials. The content
 * cannot be compared: two archives of one configuration differ in their bytes.
 */

const DEADLINE_MS = 3 * 60 * 60_000;

const MAX_UPLOADS = 3;

/** observed-devices.md 3 and 4. */
const NO_SPACE = 150;
const TOO_LARGE = 151;
const NOT_A_BACKUP = 103;
const NO_FILE = 113;

const spec = z.strictObject({
  artifactId: z.uuid().describe('A backup in the artifact store'),
  sha256: approvedSha256,
  allowOther: z.boolean().default(false).describe('Whether the backup of another device may be restored'),
  sealedPassword: z
    .uuid()
    .optional()
    .describe(
      'Id of the sealed value with the passphrase of an encrypted backup. Absent: the passphrase of its policy',
    ),
  follow: z
    .boolean()
    .default(true)
    .describe('Whether the device is looked for where it announces that it will be, and registered there'),
});
type Spec = z.output<typeof spec>;

const known = { spec, serial: z.string(), baseUrl: z.string(), uploads: z.number().int() };
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('upload'), ...known }),
  z.object({
    at: z.literal('apply'),
    ...known,
    /** Other addresses where it may be; null until its answer is read. */
    elsewhere: z.array(z.string()).nullable(),
    movedTo: z.string().nullable(),
    missedSince: z.iso.datetime().optional(),
  }),
  z.object({ at: z.literal('confirm'), ...known, movedTo: z.string().nullable(), downSeconds: z.number() }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const restore = defineKind<Spec, Cursor>({
  name: 'restore',
  deadlineMs: DEADLINE_MS,
  restarts: true,
  permission: 'job.start_sensitive',
  stepUp: true,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'identify', spec: given }),
  artifactsOf: ({ artifactId, sha256 }) => [{ artifactId, kind: 'backup', sha256, goesBack: true }],
  sealedValuesOf: ({ sealedPassword }) => (sealedPassword ? [{ valueId: sealedPassword }] : []),
  steps: { identify, upload, apply: prepareApply, confirm },
  effects: { restore: { at: 'apply', send, conclude } },
  isIrrevocable: (cursor, intent) => cursor.at === 'confirm' || mayBeOnDevice(intent),
  progress: progressOf,
});

async function identify(cursor: CursorAt<Cursor, 'identify'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { serial, version } = await probe(context);
  const otherDevice = endIfOtherSerial(context.device.serial, serial);
  if (otherDevice) return otherDevice;
  const artifact = await context.artifact(cursor.spec.artifactId);
  if (!artifact) return notExecuted('artifact_not_found', 'The backup is no longer in the store');
  if (!isOf(artifact, serial, context) && !cursor.spec.allowOther) {
    const message =
      'It is the backup of another device: it would bring that device’s addresses, keys and passwords. ' +
      'For a device that replaces it, allowOther (--allow-other) restores it all the same';
    return notExecuted('backup_of_another', message, { backup: artifact.name, serial });
  }
  // A password that cannot be opened is found out here, and not when the device is about to restore.
  if (cursor.spec.sealedPassword) await context.secrets.open(cursor.spec.sealedPassword);
  const { baseUrl } = await context.address();
  const { name, sha256, bytes } = artifact;
  const next = { at: 'upload', spec: cursor.spec, serial, baseUrl, uploads: 0 } as const;
  const facts = { serial, version, name, sha256, bytes };
  return go(next, 'The device and the backup are the right ones', facts);
}

/** The name of a backup holds the serial number of its device; a device may have been replaced since under its id. */
function isOf({ name, deviceId }: StoredArtifact, serial: string, { device }: StepContext): boolean {
  const named = /^backup-(.+)-\d{8}T\d{6}Z\.tar\.gz$/.exec(name)?.[1];
  return named === undefined ? deviceId === device.id : named === serial.replaceAll(/[^\w.-]/g, '_');
}

async function upload(cursor: CursorAt<Cursor, 'upload'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { artifactId } = cursor.spec;
  const artifact = await context.artifact(artifactId);
  if (!artifact) return notExecuted('artifact_not_found', 'The backup is no longer in the store');
  const request = { method: 'POST', path: PATHS.uploadBackup, artifactId, fileName: 'backup.tar.gz' } as const;
  let report;
  try {
    report = await context.upload(request, z.looseObject({ sha256: z.string().optional() }));
  } catch (error) {
    const failure = storeFailure(error) ?? (isDeviceRefusal(error) ? uploadFailure(error) : null);
    if (!failure) throw error;
    return end('not_executed', failure);
  }
  if (report.sha256 !== undefined && report.sha256.toLowerCase() !== artifact.sha256) {
    const facts = { expected: artifact.sha256, arrived: report.sha256 };
    return notExecuted('backup_broken_on_the_way', 'The device received other bytes than were sent', facts);
  }
  const { spec: given, serial, baseUrl } = cursor;
  const uploads = cursor.uploads + 1;
  const next = { at: 'apply', spec: given, serial, baseUrl, uploads, elsewhere: null, movedTo: null } as const;
  return go(next, 'The device has the backup', { bytes: artifact.bytes });
}

async function prepareApply(cursor: CursorAt<Cursor, 'apply'>, context: StepContext): Promise<KindResult<Cursor>> {
  const before = await probe(context);
  const otherDevice = endIfOtherSerial(cursor.serial, before.serial);
  return otherDevice ?? effect('restore', cursor, before, 'Tells the device to restore the backup', before);
}

async function send({ spec: given }: CursorAt<Cursor, 'apply'>, context: StepContext) {
  const passphrase = given.sealedPassword
    ? await context.secrets.open(given.sealedPassword)
    : await context.secrets.passphraseOf(given.artifactId);
  const secret = passphrase === null ? {} : { password: passphrase };
  const request = { method: 'POST', path: PATHS.applyBackup, json: { data: secret } } as const;
  const said = await context.call(request, restoreAnswer);
  return {
    lanIpv4: said.lan_ipv4 || null,
    httpPort: portOf(said.http_port),
    httpsPort: portOf(said.https_port),
  };
}

async function conclude(first: CursorAt<Cursor, 'apply'>, evidence: Evidence, context: StepContext): Promise<Verdict> {
  if (evidence.refusal) return concludeRefused(first, evidence.refusal);
  const now = first.elsewhere === null ? await withAddresses(first, evidence, context) : first;
  const { spec: given, serial, baseUrl, uploads, movedTo, elsewhere, missedSince } = now;
  const looked = {
    serial,
    artifactId: given.artifactId,
    baseUrl: movedTo ?? baseUrl,
    elsewhere: elsewhere ?? [],
    missedSince,
  };
  const verdict = await concludeRestore(looked, evidence, context);
  if (verdict.is === 'undecided') {
    const { missedSince: _seen, ...rest } = now;
    const moved = verdict.movedTo === undefined ? {} : { movedTo: verdict.movedTo, elsewhere: [] };
    const missed = verdict.missedSince === undefined ? {} : { missedSince: verdict.missedSince };
    return { is: 'undecided', afterMs: verdict.afterMs, cursor: { ...rest, ...moved, ...missed } };
  }
  if (verdict.is !== 'restarted') return verdict;
  const { after, downSeconds } = verdict;
  const next = { at: 'confirm', spec: given, serial, baseUrl, uploads, movedTo, downSeconds } as const;
  const stepResult = go(next, 'The device has restarted and is the same one', { ...after, movedTo });
  return { is: 'executed', after, stepResult };
}

/** The announced address; after a lost answer the job waits at the previous one. */
async function withAddresses(
  cursor: CursorAt<Cursor, 'apply'>,
  evidence: Evidence,
  context: StepContext,
): Promise<CursorAt<Cursor, 'apply'>> {
  const said = announcement.safeParse(evidence.answer);
  const { mayFollow } = await context.address();
  const isFollowed = said.success && cursor.spec.follow && mayFollow;
  return { ...cursor, elsewhere: isFollowed ? addressesOf(cursor.baseUrl, said.data) : [] };
}

function concludeRefused(cursor: CursorAt<Cursor, 'apply'>, refusal: Failure): Verdict {
  const after = { refused: refusal.facts };
  if (hasCode(refusal, NO_FILE) && cursor.uploads < MAX_UPLOADS) {
    const { spec: given, serial, baseUrl, uploads } = cursor;
    const next = { at: 'upload', spec: given, serial, baseUrl, uploads } as const;
    return refused(go(next, 'The device has lost the file; sends it again', { uploads }), after);
  }
  const message = 'The device says that it cannot restore the file, or that the password is wrong';
  const isNoBackup = hasCode(refusal, NOT_A_BACKUP);
  return refused(end('not_executed', isNoBackup ? { ...refusal, code: 'backup_refused', message } : refusal), after);
}

/** The restart was seen; the job ends when the device accepts a new login. */
async function confirm(cursor: CursorAt<Cursor, 'confirm'>, context: StepContext): Promise<KindResult<Cursor>> {
  await takePasswords(cursor.spec.artifactId, context);
  await context.endSessions();
  const after = await probe(context);
  if (after.serial !== cursor.serial) return endOfOtherDevice(cursor.serial, after.serial);
  const { movedTo, baseUrl, downSeconds } = cursor;
  const result = { ...after, address: movedTo ?? baseUrl, moved: movedTo !== null, downSeconds };
  return succeed(result, 'It is the same device, and it accepts the stored credentials');
}

function progressOf(cursor: Cursor, { intent, now }: ProgressInput) {
  if (cursor.at === 'identify') return { percent: 5, text: 'Checking the identity of the device' };
  if (cursor.at === 'upload') return { percent: 10, text: 'Sending the backup' };
  if (cursor.at === 'confirm') return { percent: 95, text: 'Checking the login' };
  const percent = 20 + Math.min(70, Math.floor((70 * awayForMs(intent, now)) / 150_000));
  return { percent, text: 'Waiting for it to come back' };
}

function uploadFailure(error: AppError): Failure {
  const refusal = failureOf(error);
  if (hasCode(error, NO_SPACE)) {
    const message = 'The device does not have enough free space for the backup';
    return { ...refusal, code: 'no_room_on_device', message };
  }
  if (hasCode(error, TOO_LARGE)) {
    return { ...refusal, code: 'backup_too_large', message: 'The backup is larger than the device accepts' };
  }
  return refusal;
}

/** observed-devices.md 3: ports are texts; a device without one leaves it empty. */
function portOf(port: string | number | undefined): number | null {
  const number = Number(port);
  return Number.isInteger(number) && number >= 1 && number <= 65_535 ? number : null;
}

const notExecuted = (code: string, message: string, facts = {}) => endWith('not_executed', code, message, facts);
