import { z } from 'zod';
import { PATHS, restoreAnswer } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { type Failure, type Intent } from '../../rows/job-state.js';
import { failureOf, isRefusal } from '../../rows/job-trouble.js';
import {
  defineKind,
  type Evidence,
  type KindOutcome,
  type Moment,
  type StepContext,
  type StoredArtifact,
  type EffectVerdict,
} from '../../kind/kind.js';
import { awayForMs, endOfAnother, probe, refuseAnother } from '../../kind/restart.js';
import { announcement, concludeRestore, placesOf, takePasswords } from './restore-return.js';

/*
 *   identify --> upload --> apply ==effect==> (away, half up, perhaps at another address) --> confirm --> succeeded
 *                  ^          | the device has lost the file
 *                  +----------+
 *
 * A stored backup takes the place of a device's configuration. Uploading is repeatable: the device holds one file, and the
 * next one takes its place. Applying is the dangerous effect and the point of no return: the device answers where it will
 * be and restarts, so its answer proves nothing, and `restore-return.ts` decides what became of it.
 *
 * What proves success: the same serial, an uptime that began again, and a new login with the stored credentials. What a
 * backup holds cannot be compared from outside: archives of one configuration differ in their bytes.
 */

const DEADLINE_MS = 3 * 60 * 60_000;

/** Times that the device may have lost the file again. */
const MAX_UPLOADS = 3;

/** Observed behaviour, sections 3 and 4. */
const NO_ROOM = 150;
const TOO_LARGE = 151;
const NOT_A_BACKUP = 103;
const NO_FILE = 113;

const spec = z.strictObject({
  artifactId: z.uuid().describe('A backup in the artifact store'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('What was approved; another digest is refused'),
  allowOther: z.boolean().default(false).describe('Whether the backup of another device may be restored'),
  sealedPassword: z
    .uuid()
    .optional()
    .describe('Id of the sealed value that an encrypted backup opens with. Absent: the passphrase of its policy'),
  follow: z
    .boolean()
    .default(true)
    .describe('Whether the device is looked for where it announces that it will be, and registered there'),
});
type Spec = z.output<typeof spec>;

const known = { spec, serial: z.string(), baseUrl: z.string(), uploads: z.number().int() };
const cursor = z.discriminatedUnion('at', [
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
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const restore = defineKind<Spec, Cursor>({
  name: 'restore',
  deadlineMs: DEADLINE_MS,
  permission: 'job.start_sensitive',
  stepUp: true,
  spec,
  cursor,
  start: (given) => ({ at: 'identify', spec: given }),
  artifactsOf: ({ artifactId, sha256 }) => [{ artifactId, kind: 'backup', sha256, goesBack: true }],
  sealedValuesOf: ({ sealedPassword }) => (sealedPassword ? [{ valueId: sealedPassword }] : []),
  step(now, context) {
    switch (now.at) {
      case 'identify':
        return identify(now, context);
      case 'upload':
        return upload(now, context);
      case 'apply':
        return prepareApply(now, context);
      case 'confirm':
        return confirm(now, context);
    }
  },
  effects: { restore: { send, conclude } },
  isPastReturn: (now, intent) => now.at === 'confirm' || isSent(intent),
  progress: progressOf,
});

/** From the moment it is sent, unless it is certain that nothing was done. */
function isSent(intent: Intent | null): boolean {
  return intent !== null && intent.state !== 'open' && intent.state !== 'not_executed';
}

async function identify(now: At<'identify'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { serial, version } = await probe(context);
  const expected = context.device.serial;
  if (expected !== null && expected !== serial) return refuseAnother(expected, serial);
  const artifact = await context.artifact(now.spec.artifactId);
  if (!artifact) return refuse('artifact_not_found', 'The backup is not in the store any more', {});
  if (!isOf(artifact, serial, context) && !now.spec.allowOther) {
    const message = 'It is the backup of another device: its addresses, keys and passwords would come with it';
    return refuse('backup_of_another', message, { backup: artifact.name, serial });
  }
  // A password that cannot be opened is found out here, and not when the device is about to restore.
  if (now.spec.sealedPassword) await context.secrets.open(now.spec.sealedPassword);
  const { baseUrl } = await context.place();
  const { name, sha256, bytes } = artifact;
  return {
    next: 'go',
    cursor: { at: 'upload', spec: now.spec, serial, baseUrl, uploads: 0 },
    say: {
      text: 'The device and the backup are the ones that were meant',
      facts: { serial, version, name, sha256, bytes },
    },
  };
}

/** The name of a backup holds the serial number of its device; a device may have been replaced since under its id. */
function isOf({ name, deviceId }: StoredArtifact, serial: string, { device }: StepContext): boolean {
  const named = /^backup-(.+)-\d{8}T\d{6}Z\.tar\.gz$/.exec(name)?.[1];
  return named === undefined ? deviceId === device.id : named === serial.replaceAll(/[^\w.-]/g, '_');
}

async function upload(now: At<'upload'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { artifactId } = now.spec;
  const artifact = await context.artifact(artifactId);
  if (!artifact) return refuse('artifact_not_found', 'The backup is not in the store any more', {});
  const request = { method: 'POST', path: PATHS.uploadBackup, artifactId, fileName: 'backup.tar.gz' } as const;
  let report;
  try {
    report = await context.upload(request, z.looseObject({ sha256: z.string().optional() }));
  } catch (error) {
    if (isOfStore(error)) return { next: 'end', outcome: 'not_executed', failure: failureOf(error) };
    if (!isRefusal(error)) throw error;
    return { next: 'end', outcome: 'not_executed', failure: uploadFailure(error) };
  }
  if (report.sha256 !== undefined && report.sha256.toLowerCase() !== artifact.sha256) {
    const facts = { expected: artifact.sha256, arrived: report.sha256 };
    return refuse('backup_broken_on_the_way', 'Other bytes arrived on the device than were sent', facts);
  }
  const { spec: given, serial, baseUrl, uploads } = now;
  return {
    next: 'go',
    cursor: { at: 'apply', spec: given, serial, baseUrl, uploads: uploads + 1, elsewhere: null, movedTo: null },
    say: { text: 'The device has the backup', facts: { bytes: artifact.bytes } },
  };
}

async function prepareApply(now: At<'apply'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const before = await probe(context);
  if (before.serial !== now.serial) return refuseAnother(now.serial, before.serial);
  return {
    next: 'effect',
    effect: 'restore',
    cursor: now,
    before,
    say: { text: 'The device is told to restore the backup', facts: before },
  };
}

async function send(at: Cursor, context: StepContext) {
  const { spec: given } = expectAt(at);
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

async function conclude(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const first = expectAt(at);
  if (evidence.refusal) return concludeRefused(first, evidence.refusal);
  const now = first.elsewhere === null ? await withPlaces(first, evidence, context) : first;
  const { serial, movedTo } = now;
  const looked = {
    serial,
    artifactId: now.spec.artifactId,
    baseUrl: movedTo ?? now.baseUrl,
    elsewhere: now.elsewhere ?? [],
    missedSince: now.missedSince,
  };
  const verdict = await concludeRestore(looked, evidence, context);
  if (verdict.is === 'undecided') {
    const { missedSince: _seen, ...rest } = now;
    const moved = verdict.movedTo === undefined ? {} : { movedTo: verdict.movedTo, elsewhere: [] };
    const missed = verdict.missedSince === undefined ? {} : { missedSince: verdict.missedSince };
    return { is: 'undecided', afterMs: verdict.afterMs, cursor: { ...rest, ...moved, ...missed } };
  }
  if (verdict.is !== 'restarted') return verdict;
  const { spec: given, baseUrl, uploads } = now;
  const { after, downSeconds } = verdict;
  const say = { text: 'The device has restarted and is the same one', facts: { ...after, movedTo } };
  const next = { at: 'confirm', spec: given, serial, baseUrl, uploads, movedTo, downSeconds } as const;
  return { is: 'executed', after, outcome: { next: 'go', cursor: next, say } };
}

/** Where it announced that it will be. A lost answer announced nothing: then it is waited for where it was. */
async function withPlaces(now: At<'apply'>, evidence: Evidence, context: StepContext): Promise<At<'apply'>> {
  const said = announcement.safeParse(evidence.answer);
  const { mayFollow } = await context.place();
  const isFollowed = said.success && now.spec.follow && mayFollow;
  return { ...now, elsewhere: isFollowed ? placesOf(now.baseUrl, said.data) : [] };
}

function concludeRefused(now: At<'apply'>, refusal: Failure): EffectVerdict<Cursor> {
  const after = { refused: refusal.facts };
  const codes = refusal.facts['deviceCodes'];
  const has = (code: number) => Array.isArray(codes) && codes.includes(code);
  if (has(NO_FILE) && now.uploads < MAX_UPLOADS) {
    const { spec: given, serial, baseUrl, uploads } = now;
    const say = { text: 'The device has lost the file; it is sent again', facts: { uploads } };
    const cursor = { at: 'upload', spec: given, serial, baseUrl, uploads } as const;
    return { is: 'not_executed', after, outcome: { next: 'go', cursor, say } };
  }
  const message = 'The device says that the file is no backup that it can restore, or that its password is another';
  const failure = has(NOT_A_BACKUP) ? { code: 'backup_refused', message, facts: refusal.facts } : refusal;
  return { is: 'not_executed', after, outcome: { next: 'end', outcome: 'not_executed', failure } };
}

/** It was seen to have restarted; the end is when it takes a login of its own. */
async function confirm(now: At<'confirm'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  await takePasswords(now.spec.artifactId, context);
  await context.freshLogin();
  const after = await probe(context);
  if (after.serial !== now.serial) return endOfAnother(now.serial, after.serial);
  const { movedTo, baseUrl, downSeconds } = now;
  return {
    next: 'end',
    outcome: 'succeeded',
    result: { ...after, address: movedTo ?? baseUrl, moved: movedTo !== null, downSeconds },
    say: { text: 'It is the same device, and it takes the stored credentials' },
  };
}

function progressOf(now: Cursor, { intent, now: at }: Moment) {
  if (now.at === 'identify') return { percent: 5, text: 'Looking who the device is' };
  if (now.at === 'upload') return { percent: 10, text: 'Sending the backup' };
  if (now.at === 'confirm') return { percent: 95, text: 'Looking whether it takes the login' };
  const percent = 20 + Math.min(70, Math.floor((70 * awayForMs(intent, at)) / 150_000));
  return { percent, text: 'Waiting for it to come back' };
}

/** Errors of the artifact store: not a byte was sent. */
function isOfStore(error: unknown): error is AppError {
  return error instanceof AppError && error.code.startsWith('artifact_');
}

function uploadFailure(error: AppError): Failure {
  const refusal = failureOf(error);
  const codes = error.facts['deviceCodes'];
  const has = (code: number) => Array.isArray(codes) && codes.includes(code);
  if (has(NO_ROOM)) return { ...refusal, code: 'no_room_on_device', message: 'The device has no room for the backup' };
  if (has(TOO_LARGE))
    return { ...refusal, code: 'backup_too_large', message: 'The backup is larger than the device takes' };
  return refusal;
}

/** Observed behaviour, section 3: ports are texts; a device without one leaves it empty. */
function portOf(port: string | number | undefined): number | null {
  const number = Number(port);
  return Number.isInteger(number) && number >= 1 && number <= 65_535 ? number : null;
}

function refuse(code: string, message: string, facts: Failure['facts']) {
  return { next: 'end', outcome: 'not_executed', failure: { code, message, facts } } as const;
}

function expectAt(now: Cursor): At<'apply'> {
  if (now.at !== 'apply') throw new Error(`A backup was restored at the step ${now.at}`);
  return now;
}
