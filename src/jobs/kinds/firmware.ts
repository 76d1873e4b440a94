import { z } from 'zod';
import {
  ACTION_CODES,
  firmwareImage,
  firmwareProgress,
  firmwareStatus,
  firmwareUpdates,
  NEWEST_FIRMWARE,
  PATHS,
  systemStatus,
  usageStatus,
  type FirmwareImage,
} from '../../device-api/contract.js';
import { AppError, type Facts } from '../../platform/errors.js';
import { type Failure } from '../job-state.js';
import { failureOf } from '../job-trouble.js';
import { concludeUpgrade, type UpgradeVerdict } from './firmware-return.js';
import { isSameVersion, refuseArtifact, refuseReport, type Hardware } from './firmware-image.js';
import {
  defineKind,
  type Effect,
  type KindOutcome,
  type Moment,
  type Progress,
  type StepContext,
  type Verdict,
} from './kind.js';
import { awayForMs, endOfAnother, nullWhenRefused, probe, refuseAnother } from './restart.js';

/*
 *   identify --> check --+--> upload ---------------------------+--> upgrade ==effect==> (away, half up) --> confirm
 *                        |      ^ (the device lost the image)   |                                              |
 *                        +--> offer --> fetch --> download -----+                                          succeeded
 *                                         ^          | (failed)
 *   any refusal of an image --> discard   +----------+
 *
 * Whatever is found before `upgrade` ends the job as `not_executed`. Uploading is repeatable: a device holds one image, and
 * the next one takes its place. The upgrade is the dangerous effect and the point of no return; `firmware-return.ts` decides
 * what became of it. What proves success: the same serial, and the version that was wanted where another one ran before.
 */

/** Times that one job sends the image, or has the device fetch it: it may break on the way, or the device may restart. */
const MAX_TRIES = 3;

/** Between two looks at a download. */
const DOWNLOAD_LOOK_MS = 5_000;

/** A download that has not moved for this long does not move any more. */
const FROZEN_MS = 10 * 60_000;

/** Code 15 comes and goes with the device's way to the internet: it is asked again after a minute, for two hours. */
const NO_INTERNET_MS = 60_000;
const NO_INTERNET_LONGEST_MS = 2 * 60 * 60_000;

/** Room beside the image that the device needs to unpack and check it, in bytes (chosen). */
const ROOM_BESIDE = 4 * 1024 * 1024;

const MIB = 1024 * 1024;

/** Read before and after: what answered before must answer after. Not every device has each of them. */
const SERVICES = ['/api/interfaces/status', '/api/modems/status', '/api/wireless/devices/status'] as const;

const MODEMS = '/api/modems/status';

/** After an upgrade, services may take this long until they all answer. */
const SERVICES_START_MS = 10 * 60_000;

const spec = z
  .strictObject({
    source: z.enum(['artifact', 'vendor']).default('artifact').describe('Where the image comes from'),
    artifactId: z.uuid().optional().describe('The image in the artifact store'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('The digest that was approved; another one is refused'),
    version: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe('From the vendor: the only version to take; absent: its newest'),
    keepSettings: z.boolean().default(true),
    allowDowngrade: z.boolean().default(false),
    allowUnauthorized: z
      .boolean()
      .default(false)
      .describe('Whether an image without the signature of the vendor may go on'),
    requireSignature: z.boolean().default(false).describe('Whether the artifact must carry a signature of our own'),
    backup: z.enum(['required', 'skip']).default('required').describe('Whether a stored backup must be there'),
    backupMaxAgeHours: z.number().positive().max(8_760).default(24),
    minimumSignalDbm: z
      .number()
      .min(-140)
      .max(0)
      .nullable()
      .default(-115)
      .describe('Weakest RSRP at which to begin, where the device has a modem that tells it; null: any'),
  })
  .refine(({ source, artifactId }) => (source === 'artifact') === (artifactId !== undefined), {
    message: 'an artifactId goes with the source artifact, and only with it',
    path: ['artifactId'],
  });
type Spec = z.infer<typeof spec>;

const about = {
  spec,
  serial: z.string(),
  models: z.array(z.string()),
  hardware: z.string().nullable(),
  /** What ran when the job began. */
  from: z.string().nullable(),
};
const tried = { ...about, services: z.array(z.string()), tries: z.number().int() };
/** Since when the device says that it has no internet. */
const offlineSince = { offlineSince: z.iso.datetime().optional() };
const reported = { ...tried, wanted: z.string().nullable() };

const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('check'), ...about }),
  z.object({ at: z.literal('upload'), ...tried }),
  z.object({ at: z.literal('offer'), ...tried, ...offlineSince }),
  z.object({ at: z.literal('fetch'), ...tried, ...offlineSince, offered: z.string() }),
  z.object({
    at: z.literal('download'),
    ...tried,
    offered: z.string(),
    percent: z.number(),
    movedAt: z.iso.datetime(),
  }),
  z.object({ at: z.literal('verify'), ...tried, offered: z.string() }),
  z.object({
    at: z.literal('discard'),
    ...tried,
    failure: z.object({ code: z.string(), message: z.string(), facts: z.record(z.string(), z.unknown()) }),
  }),
  z.object({ at: z.literal('upgrade'), ...reported, missedSince: z.iso.datetime().optional() }),
  z.object({
    at: z.literal('confirm'),
    ...reported,
    now: z.string(),
    downSeconds: z.number(),
    since: z.iso.datetime(),
  }),
]);
export type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;
type Outcome = KindOutcome<Cursor>;

export const firmware = defineKind<Spec, Cursor>({
  name: 'firmware',
  deadlineMs: 24 * 60 * 60_000, // a device that is away is waited for; the work itself takes some 15 minutes
  spec,
  cursor,
  start: (given) => ({ at: 'identify', spec: given }),
  artifactsOf: ({ artifactId, sha256 }) => (artifactId ? [{ artifactId, sha256, kind: 'firmware' }] : []),
  step,
  effects: { upgrade: upgradeEffect() },
  isPastReturn: (_cursor, intent) => intent !== null && intent.state !== 'open' && intent.state !== 'not_executed',
  progress,
});

async function step(now: Cursor, context: StepContext): Promise<Outcome> {
  switch (now.at) {
    case 'identify':
      return identify(now, context);
    case 'check':
      return check(now, context);
    case 'upload':
      return upload(now, context);
    case 'offer':
      return offer(now, context);
    case 'fetch':
      return fetch(now, context);
    case 'download':
      return download(now, context);
    case 'verify':
      return verify(now, context);
    case 'discard':
      return discard(now, context);
    case 'upgrade':
      return askForUpgrade(now, context);
    case 'confirm':
      return confirm(now, context);
  }
}

/** Who it is and what it runs; an image that is not for it is refused here, before anything is sent. */
async function identify({ spec: given }: At<'identify'>, context: StepContext): Promise<Outcome> {
  const { call, device } = context;
  const system = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  const status = await call({ method: 'GET', path: PATHS.firmwareStatus }, firmwareStatus).catch(nullWhenRefused);
  const { serial, name, hwver } = system.mnfinfo;
  if (device.serial !== null && device.serial !== serial) return refuseAnother(device.serial, serial);
  const it = {
    spec: given,
    serial,
    models: [system.static?.model, name, device.model].filter((model) => model !== undefined && model !== null),
    hardware: hwver ?? null,
    from: status?.version ?? system.static?.fw_version ?? null,
  };
  const refused = await imageRefused(it, context);
  if (refused) return notExecuted(refused);
  const image = await imageOf(given, context);
  if (image?.version && it.from !== null && isSameVersion(image.version, it.from)) return alreadyThere(it.from);
  const facts = { serial, models: it.models, running: it.from };
  return { next: 'go', cursor: { at: 'check', ...it }, say: { text: 'The device is the one that was meant', facts } };
}

async function imageOf({ artifactId }: Spec, { artifact }: StepContext) {
  return artifactId === undefined ? null : artifact(artifactId);
}

/** What speaks against the stored image, the bytes aside. */
async function imageRefused(
  {
    spec: given,
    models,
    hardware,
    from,
  }: { spec: Spec; models: string[]; hardware: string | null; from: string | null },
  context: StepContext,
): Promise<Failure | null> {
  if (given.artifactId === undefined) return null;
  try {
    const image = await imageOf(given, context);
    if (!image) throw new AppError('artifact_not_found', { artifactId: given.artifactId });
    const device: Hardware = { models, hardware, version: from };
    return refuseArtifact(image, device, given);
  } catch (error) {
    const failure = storeFailure(error);
    if (!failure) throw error;
    return failure;
  }
}

/** What can go wrong on the device is looked for while nothing has happened yet. */
async function check(now: At<'check'>, context: StepContext): Promise<Outcome> {
  const refused =
    (await backupMissing(now, context)) ?? (await roomMissing(now, context)) ?? (await signalMissing(now, context));
  if (refused) return notExecuted(refused);
  const services: string[] = [];
  for (const path of SERVICES) if (await answers(path, context)) services.push(path);
  const rest = { ...now, services, tries: 0 };
  const text = 'Nothing speaks against it: backup, room and signal are as they should be';
  return now.spec.source === 'vendor'
    ? { next: 'go', cursor: { ...rest, at: 'offer' }, say: { text, facts: { services } } }
    : { next: 'go', cursor: { ...rest, at: 'upload' }, say: { text, facts: { services } } };
}

async function backupMissing({ spec: given }: At<'check'>, context: StepContext): Promise<Failure | null> {
  if (given.backup === 'skip') return null;
  const last = await context.lastBackup();
  const madeAt = last && (last.confirmedAt ?? last.createdAt);
  const ageHours = madeAt && (context.now.getTime() - madeAt.getTime()) / 3_600_000;
  if (ageHours !== null && ageHours <= given.backupMaxAgeHours) return null;
  return {
    code: 'backup_missing',
    message: 'There is no fresh backup of the device; run a job of the kind backup first, or say `backup: skip`',
    facts: { newest: madeAt?.toISOString() ?? null, backupMaxAgeHours: given.backupMaxAgeHours },
  };
}

const memory = z.looseObject({ ram_free: z.number(), flash_free: z.number() }).partial();

/** Images are held in memory or on flash, by model; the device itself says 150 when this look was too kind. */
async function roomMissing({ spec: given }: At<'check'>, context: StepContext): Promise<Failure | null> {
  const image = await imageOf(given, context);
  if (!image) return null;
  const usage = await context.call({ method: 'GET', path: PATHS.usageStatus }, usageStatus);
  const read = memory.safeParse((usage as { memory?: unknown }).memory);
  const free = read.success ? [read.data.ram_free, read.data.flash_free].filter((mib) => mib !== undefined) : [];
  const freeBytes = free.length === 0 ? null : Math.max(...free) * MIB;
  if (freeBytes === null || freeBytes >= image.bytes + ROOM_BESIDE) return null;
  const facts = { freeBytes, neededBytes: image.bytes + ROOM_BESIDE };
  return { code: 'no_room_on_device', message: 'The device has not enough free space for the image', facts };
}

const modems = z.array(z.looseObject({ rsrp: z.unknown().optional() }));

async function signalMissing({ spec: given }: At<'check'>, { call }: StepContext): Promise<Failure | null> {
  const { minimumSignalDbm } = given;
  if (minimumSignalDbm === null) return null;
  const found = await call({ method: 'GET', path: MODEMS }, modems).catch(nullWhenRefused);
  const signals = (found ?? []).map(({ rsrp }) => rsrp).filter((rsrp) => typeof rsrp === 'number');
  if (signals.length === 0 || Math.max(...signals) >= minimumSignalDbm) return null;
  const facts = { rsrp: Math.max(...signals), minimumSignalDbm };
  return { code: 'signal_too_weak', message: 'The mobile signal is weaker than the least that was asked for', facts };
}

/** Whether the device has a service and it answers. */
async function answers(path: string, { call }: StepContext): Promise<boolean> {
  return (await call({ method: 'GET', path }, z.unknown()).catch(nullWhenRefused)) !== null;
}

/** Sends the image; the device judges it at once. */
async function upload(now: At<'upload'>, context: StepContext): Promise<Outcome> {
  const refused = await imageRefused(now, context);
  if (refused) return notExecuted(refused);
  const image = (await imageOf(now.spec, context))!;
  const request = { method: 'POST', path: PATHS.uploadFirmware, artifactId: image.id, fileName: image.name } as const;
  let report: FirmwareImage;
  try {
    report = await context.upload(request, firmwareImage);
  } catch (error) {
    return notExecuted(storeFailure(error) ?? uploadFailure(error, image.bytes));
  }
  const { sha256, bytes } = image;
  const refusal = refuseReport(report, { stated: image.version, sha256, running: now.from }, now.spec);
  if (refusal?.code === 'image_broken_on_the_way' && now.tries + 1 < MAX_TRIES) {
    return {
      next: 'go',
      cursor: { ...now, tries: now.tries + 1 },
      say: { text: refusal.message, facts: refusal.facts },
    };
  }
  return judged(now, report, refusal, { text: 'The device has the image and takes it', facts: { bytes, sha256 } });
}

/** The same for both sources: on to the upgrade, or the image goes. */
function judged(
  now: At<'upload'> | At<'verify'>,
  report: FirmwareImage,
  refusal: Failure | null,
  say: { text: string; facts: Facts },
): Outcome {
  const { spec: given, serial, models, hardware, from, services } = now;
  const rest = { spec: given, serial, models, hardware, from, services, tries: now.tries + 1 };
  if (refusal) {
    const text = `The image is not flashed: ${refusal.message}`;
    return { next: 'go', cursor: { ...rest, at: 'discard', failure: refusal }, say: { text, facts: refusal.facts } };
  }
  const wanted = report.fw_version || null;
  if (wanted !== null && from !== null && isSameVersion(wanted, from)) return alreadyThere(from);
  return { next: 'go', cursor: { ...rest, at: 'upgrade', wanted }, say: { ...say, facts: { ...say.facts, wanted } } };
}

/** What the vendor has for it. Code 15 is not the end: the way to the internet comes and goes. */
async function offer(now: At<'offer'>, { call, now: at }: StepContext): Promise<Outcome> {
  const updates = await call({ method: 'GET', path: PATHS.firmwareUpdates }, firmwareUpdates).catch(
    nullWithoutInternet,
  );
  if (!updates) return waitForInternet(now, at);
  const { version } = updates.device;
  if (version === NEWEST_FIRMWARE) {
    const { version: asked } = now.spec;
    if (asked === undefined || (now.from !== null && isSameVersion(asked, now.from))) return alreadyThere(now.from);
    return notExecuted(notOffered(asked, null));
  }
  if (now.spec.version !== undefined && !isSameVersion(now.spec.version, version)) {
    return notExecuted(notOffered(now.spec.version, version));
  }
  const say = { text: 'The vendor has an image for the device', facts: { offered: version } };
  const { offlineSince: _, ...rest } = now;
  return { next: 'go', cursor: { ...rest, at: 'fetch', offered: version }, say };
}

function notOffered(version: string, offered: string | null): Failure {
  return {
    code: 'version_not_offered',
    message: 'The vendor does not offer the version that was asked for',
    facts: { version, offered },
  };
}

/** Has the device fetch it; one that does so already answers the same. */
async function fetch(now: At<'fetch'>, { call, now: at }: StepContext): Promise<Outcome> {
  try {
    await call({ method: 'POST', path: PATHS.fetchFirmware }, z.unknown());
  } catch (error) {
    if (hasCode(error, ACTION_CODES.nothingToFetch.code)) {
      const message = 'The device says that there is nothing to fetch';
      return notExecuted({ code: 'nothing_to_fetch', message, facts: failureOf(error as AppError).facts });
    }
    nullWithoutInternet(error);
    return waitForInternet(now, at);
  }
  const { offlineSince: _, ...rest } = now;
  const cursor: Cursor = { ...rest, at: 'download', percent: 0, movedAt: at.toISOString() };
  return {
    next: 'wait',
    cursor,
    afterMs: DOWNLOAD_LOOK_MS,
    reason: 'device_works',
    say: { text: 'The device fetches the image' },
  };
}

async function download(now: At<'download'>, { call, now: at }: StepContext): Promise<Outcome> {
  const { percents, process } = await call({ method: 'GET', path: PATHS.firmwareProgress }, firmwareProgress);
  const { percent, movedAt, ...rest } = now;
  if (process === 'succeeded') {
    return { next: 'go', cursor: { ...rest, at: 'verify' }, say: { text: 'The device has fetched the image' } };
  }
  const isFrozen = percents === percent && at.getTime() - Date.parse(movedAt) >= FROZEN_MS;
  if (process === 'failed' || isFrozen) {
    const tries = now.tries + 1;
    const text = process === 'failed' ? 'The download failed' : 'The download does not move any more';
    const facts = { percent: percents, tries };
    if (tries < MAX_TRIES && process === 'failed') {
      return {
        next: 'go',
        cursor: { ...rest, at: 'fetch', tries },
        say: { text: `${text}; it is tried again`, facts },
      };
    }
    return notExecuted({ code: process === 'failed' ? 'download_failed' : 'download_frozen', message: text, facts });
  }
  const hasMoved = percents !== percent;
  return {
    next: 'wait',
    cursor: hasMoved ? { ...now, percent: percents, movedAt: at.toISOString() } : now,
    afterMs: DOWNLOAD_LOOK_MS,
    reason: 'device_works',
  };
}

async function verify(now: At<'verify'>, { call }: StepContext): Promise<Outcome> {
  const report = await call({ method: 'POST', path: PATHS.verifyFirmware }, firmwareImage);
  const refusal = refuseReport(report, { stated: now.offered, sha256: null, running: now.from }, now.spec);
  return judged(now, report, refusal, { text: 'The device takes the image', facts: { offered: now.offered } });
}

/** A refused image does not stay on the device; whether it can be deleted changes nothing of the end. */
async function discard({ failure }: At<'discard'>, { call }: StepContext): Promise<Outcome> {
  await call({ method: 'POST', path: PATHS.deleteFirmware }, z.unknown()).catch(nullWhenRefused);
  return notExecuted(failure);
}

/** The last look before the point of no return. */
async function askForUpgrade(now: At<'upgrade'>, context: StepContext): Promise<Outcome> {
  const before = await probe(context);
  if (before.serial !== now.serial) return refuseAnother(now.serial, before.serial);
  if (now.wanted !== null && before.version !== null && isSameVersion(now.wanted, before.version)) {
    return alreadyThere(before.version);
  }
  return {
    next: 'effect',
    effect: 'upgrade',
    cursor: now,
    before,
    say: { text: 'The device is told to flash the image; from here on there is no way back', facts: before },
  };
}

function upgradeEffect(): Effect<Cursor> {
  return {
    async send(now, { call }) {
      if (now.at !== 'upgrade') throw new Error(`A device was upgraded at the step ${now.at}`);
      const json = { data: { keep_settings: now.spec.keepSettings ? '1' : '0' } };
      await call({ method: 'POST', path: PATHS.upgradeFirmware, json }, z.unknown());
      return { accepted: true };
    },
    async conclude(now, evidence, context) {
      if (now.at !== 'upgrade') throw new Error(`A device was upgraded at the step ${now.at}`);
      const { refusal } = evidence;
      if (!refusal) return verdictOf(now, await concludeUpgrade(now, evidence, context), context);
      const after = { refused: refusal.facts };
      const { wanted: _, missedSince: _missed, ...rest } = now;
      const isGone = (refusal.facts['deviceCodes'] as unknown[]).includes(ACTION_CODES.firmwareMissing.code);
      if (isGone && now.tries < MAX_TRIES) {
        const at = now.spec.source === 'vendor' ? 'offer' : 'upload';
        const say = { text: 'The device has lost the image; it gets it again', facts: { tries: now.tries } };
        return { is: 'not_executed', after, outcome: { next: 'go', cursor: { ...rest, at }, say } };
      }
      return { is: 'not_executed', after, outcome: notExecuted(refusal) };
    },
  };
}

function verdictOf(now: At<'upgrade'>, verdict: UpgradeVerdict, context: StepContext): Verdict<Cursor> {
  const { missedSince: _, ...found } = now;
  if (verdict.is === 'undecided') {
    const { missedSince, ...undecided } = verdict;
    return { ...undecided, cursor: missedSince === undefined ? found : { ...found, missedSince } };
  }
  if (verdict.is !== 'flashed') return verdict;
  const { after, downSeconds } = verdict;
  const since = context.now.toISOString();
  const cursor: Cursor = { ...found, at: 'confirm', now: after.version, downSeconds, since };
  const say = { text: 'The device came back with the wanted version', facts: { ...after, downSeconds } };
  return { is: 'executed', after, outcome: { next: 'go', cursor, say } };
}

/** The wanted version was seen. It counts when the device takes a new login and all that answered before answers again. */
async function confirm(now: At<'confirm'>, context: StepContext): Promise<Outcome> {
  await context.freshLogin();
  const after = await probe(context);
  if (after.serial !== now.serial) return endOfAnother(now.serial, after.serial);
  if (after.version === null || !isSameVersion(after.version, now.now)) {
    const message = 'The device came back with the new version and then fell back to another one';
    const facts = { wanted: now.wanted, version: after.version };
    return { next: 'end', outcome: 'failed', failure: { code: 'fell_back', message, facts } };
  }
  const silent: string[] = [];
  for (const path of now.services) if (!(await answers(path, context))) silent.push(path);
  if (silent.length > 0 && context.now.getTime() - Date.parse(now.since) < SERVICES_START_MS) {
    return { next: 'wait', cursor: now, afterMs: 10_000, reason: 'device_works' };
  }
  await context.learn({ firmware: after.version });
  const { from, downSeconds, spec: given } = now;
  const result = { serial: after.serial, from, version: after.version, changed: true, downSeconds };
  if (silent.length === 0) {
    const text = 'It is the same device, it runs the wanted version, and its services answer';
    return {
      next: 'end',
      outcome: 'succeeded',
      result: { ...result, artifactUsed: given.artifactId ?? null },
      say: { text },
    };
  }
  const message = 'The device runs the wanted version, but services that answered before do not answer any more';
  return { next: 'end', outcome: 'failed', result, failure: { code: 'services_missing', message, facts: { silent } } };
}

function alreadyThere(version: string | null): Outcome {
  const text = 'The device runs this version already; nothing was done';
  return { next: 'end', outcome: 'succeeded', result: { version, changed: false }, say: { text } };
}

function notExecuted(failure: Failure) {
  return { next: 'end', outcome: 'not_executed', failure } as const;
}

/** An image that cannot be read from the store, or is another one than was approved. Null: it is not of the store. */
function storeFailure(error: unknown): Failure | null {
  const isOurs = error instanceof AppError && error.code.startsWith('artifact_');
  if (isOurs) return failureOf(error);
  return null;
}

/** @throws what says nothing about the image */
function uploadFailure(error: unknown, bytes: number): Failure {
  const facts = error instanceof AppError ? { bytes, ...error.facts } : { bytes };
  if (hasCode(error, 150)) return { code: 'no_room_on_device', message: 'The device has not enough free space', facts };
  if (hasCode(error, 151)) {
    return { code: 'image_too_large', message: 'The image is larger than the device takes', facts };
  }
  throw error;
}

function hasCode(error: unknown, code: number): boolean {
  const codes = error instanceof AppError && error.code === 'device_refused' ? error.facts['deviceCodes'] : [];
  return Array.isArray(codes) && codes.includes(code);
}

function nullWithoutInternet(error: unknown): null {
  if (hasCode(error, ACTION_CODES.noInternet.code)) return null;
  throw error;
}

function waitForInternet(now: At<'offer'> | At<'fetch'>, at: Date): Outcome {
  const { offlineSince: since } = now;
  if (since !== undefined && at.getTime() - Date.parse(since) >= NO_INTERNET_LONGEST_MS) {
    const message = 'The device has no internet, so it cannot ask the vendor';
    return notExecuted({ code: 'no_internet', message, facts: { since } });
  }
  const wait = { next: 'wait', afterMs: NO_INTERNET_MS, reason: 'retry' } as const;
  if (since !== undefined) return { ...wait, cursor: now };
  const text = 'The device has no internet now; it is asked again until it has';
  return { ...wait, cursor: { ...now, offlineSince: at.toISOString() }, say: { text } };
}

const PERCENT: Readonly<Record<Cursor['at'], [percent: number, text: string]>> = {
  identify: [2, 'Looking who the device is'],
  check: [5, 'Looking what could go wrong'],
  upload: [10, 'Sending the image'],
  offer: [10, 'Asking the vendor'],
  fetch: [12, 'Having the device fetch the image'],
  download: [12, 'The device fetches the image'],
  verify: [42, 'Having the device judge the image'],
  discard: [45, 'Removing the image from the device'],
  upgrade: [48, 'Flashing, and waiting for the device to come back'],
  confirm: [95, 'Looking whether the device is well'],
};

/** A flash takes some 5 minutes in all (observed behaviour, section 5); the wait is told by the clock, short of its end. */
const FLASH_MS = 330_000;

function progress(now: Cursor, { intent, now: at }: Moment): Progress {
  const [percent, text] = PERCENT[now.at];
  if (now.at === 'download') return { percent: percent + Math.floor(now.percent * 0.3), text };
  if (now.at !== 'upgrade') return { percent, text };
  return { percent: percent + Math.floor(46 * Math.min(1, awayForMs(intent, at) / FLASH_MS)), text };
}
