import { z } from 'zod';
import {
  ACTION_CODES,
  firmwareImage,
  firmwareStatus,
  PATHS,
  systemStatus,
  type FirmwareImage,
} from '../../../device-api/contract.js';
import { AppError, type Facts } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import {
  answers,
  backupMissing,
  imageOf,
  imageRefused,
  roomMissing,
  SERVICES,
  signalMissing,
  storeFailure,
} from './firmware-checks.js';
import {
  alreadyThere,
  cursor,
  hasCode,
  MAX_TRIES,
  notExecuted,
  spec,
  type At,
  type Cursor,
  type Outcome,
  type Spec,
} from './firmware-cursor.js';
import { isSameVersion, refuseReport } from './firmware-image.js';
import { concludeUpgrade, learnVersions, type UpgradeVerdict } from './firmware-return.js';
import { download, fetch, offer } from './firmware-vendor.js';
import {
  defineKind,
  type Effect,
  type Moment,
  type Progress,
  type StepContext,
  type EffectVerdict,
} from '../../kind/kind.js';
import { awayForMs, endOfAnother, nullWhenRefused, probe, refuseAnother } from '../../kind/restart.js';

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

/** After an upgrade, services may take this long until they all answer. */
const SERVICES_START_MS = 10 * 60_000;

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
  if (it.from !== null) await context.learn({ firmware: it.from });
  const refused = await imageRefused(it, context);
  if (refused) return notExecuted(refused);
  const image = await imageOf(given, context);
  if (image?.version && it.from !== null && isSameVersion(image.version, it.from)) return alreadyThere(it.from);
  const facts = { serial, models: it.models, running: it.from };
  return { next: 'go', cursor: { at: 'check', ...it }, say: { text: 'The device is the one that was meant', facts } };
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

function verdictOf(now: At<'upgrade'>, verdict: UpgradeVerdict, context: StepContext): EffectVerdict<Cursor> {
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
    if (after.version !== null) await learnVersions(after.version, context);
    const message = 'The device came back with the new version and then fell back to another one';
    const facts = { wanted: now.wanted, version: after.version };
    return { next: 'end', outcome: 'failed', failure: { code: 'fell_back', message, facts } };
  }
  const silent: string[] = [];
  for (const path of now.services) if (!(await answers(path, context))) silent.push(path);
  if (silent.length > 0 && context.now.getTime() - Date.parse(now.since) < SERVICES_START_MS) {
    return { next: 'wait', cursor: now, afterMs: 10_000, reason: 'device_works' };
  }
  await learnVersions(after.version, context);
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

/** @throws what says nothing about the image */
function uploadFailure(error: unknown, bytes: number): Failure {
  const facts = error instanceof AppError ? { bytes, ...error.facts } : { bytes };
  if (hasCode(error, 150)) return { code: 'no_room_on_device', message: 'The device has not enough free space', facts };
  if (hasCode(error, 151)) {
    return { code: 'image_too_large', message: 'The image is larger than the device takes', facts };
  }
  throw error;
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
