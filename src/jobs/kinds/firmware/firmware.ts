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
  foreseen,
  imageOf,
  imageRefused,
  spaceMissing,
  SERVICES,
  signalMissing,
} from './firmware-checks.js';
import {
  alreadyThere,
  cursorSchema,
  isRefusedWith,
  MAX_TRIES,
  notExecuted,
  spec,
  type Cursor,
  type Result,
  type Spec,
} from './firmware-cursor.js';
import { modelName } from '../../../device-api/identity-facts.js';
import { isSameVersion } from '../../../device-api/firmware-version.js';
import { reportRefused } from './firmware-image.js';
import { concludeUpgrade, storeVersions, type UpgradeVerdict } from './firmware-result.js';
import { download, startDownload, offer } from './firmware-vendor.js';
import { nullWhenRefused } from '../../kind-api/device-items.js';
import { endOfOtherDevice, endIfOtherSerial } from '../../kind-api/identity.js';
import {
  type CursorAt,
  defineKind,
  type EffectVerdict,
  type Evidence,
  type ProgressInput,
  type Progress,
} from '../../kind-api/kind.js';
import {
  effect,
  end,
  endWith,
  go,
  hasCode,
  mayBeOnDevice,
  poll,
  refused,
  storeFailure,
  succeed,
} from '../../kind-api/outcomes.js';
import { awayForMs, probe } from '../../kind-api/restart.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   identify --> check --+--> upload --------------------------------+--> upgrade ==effect==> (away, not ready)
 *                        |                                           |                               |
 *                        +--> offer --> fetch --> download --> verify        succeeded <-- confirm <-+
 *                                         ^          |
 *                                         +----------+ the download failed
 *
 *   upload, verify --> discard                   the image is refused; the job ends as `not_executed`
 *   upgrade --> upload or offer                  the device has lost the image
 *   identify, offer, upload, verify, upgrade     end the job as `succeeded` when the wanted version already runs
 *
 * An image for another device ends the job as `not_executed`: before a byte is sent if its stored data tell, else by
 * the device's report after the upload. An error that no retry can repair ends it as `failed`, or as `unknown` while
 * the result of the upgrade is not known. Uploading is repeatable: a device stores one image, and the next upload
 * replaces it. The upgrade is the dangerous effect and the point of no return; `firmware-result.ts` determines its
 * result. Success means the same serial number, the intended version, and that each service answers that answered
 * before.
 */

type Verdict = EffectVerdict<Cursor>;

/** After an upgrade, services may take this long until they all answer. */
const SERVICES_START_MS = 10 * 60_000;

export const firmware = defineKind<Spec, Cursor>({
  name: 'firmware',
  deadlineMs: 24 * 60 * 60_000, // it waits for an offline device; the work itself takes 15 minutes
  restarts: true,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'identify', spec: given }),
  artifactsOf: ({ artifactId, sha256 }) => (artifactId ? [{ artifactId, sha256, kind: 'firmware' }] : []),
  foresee: foreseen,
  steps: {
    identify,
    check,
    upload,
    offer,
    fetch: startDownload,
    download,
    verify,
    discard,
    upgrade: askForUpgrade,
    confirm,
  },
  effects: { upgrade: { at: 'upgrade', send, conclude } },
  isIrrevocable: (_cursor, intent) => mayBeOnDevice(intent),
  progress,
});

/** Reads identity and version; an image whose stored data name other hardware is refused before anything is sent. */
async function identify({ spec: given }: CursorAt<Cursor, 'identify'>, context: StepContext): Promise<Result> {
  const { call, device } = context;
  const system = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  const status = await call({ method: 'GET', path: PATHS.firmwareStatus }, firmwareStatus).catch(nullWhenRefused);
  const { serial, hwver } = system.mnfinfo;
  const otherDevice = endIfOtherSerial(device.serial, serial);
  if (otherDevice) return otherDevice;
  const identified = {
    spec: given,
    serial,
    models: namesOf(system, device.model),
    hardware: hwver ?? null,
    from: status?.version ?? system.static?.fw_version ?? null,
  };
  if (identified.from !== null) await context.storeObservations({ firmware: identified.from });
  const mismatch = await imageRefused(identified, context);
  if (mismatch) return notExecuted(mismatch);
  const image = await imageOf(given, context);
  if (image?.version && identified.from !== null && isSameVersion(image.version, identified.from))
    return alreadyThere(identified.from);
  const facts = { serial, models: identified.models, running: identified.from };
  return go({ at: 'check', ...identified }, 'The device is the right one', facts);
}

/** All names by which an image may call its devices: product, platform and product code, and what the registry has. */
function namesOf({ mnfinfo, static: fixed }: z.infer<typeof systemStatus>, registered: string | null): string[] {
  const names = [modelName(mnfinfo.name, null), fixed?.model, mnfinfo.name, registered];
  return [...new Set(names.filter((name) => name !== undefined && name !== null))];
}

/** Checks the device for known problems while nothing has changed yet. */
async function check(cursor: CursorAt<Cursor, 'check'>, context: StepContext): Promise<Result> {
  const missing =
    (await backupMissing(cursor, context)) ??
    (await spaceMissing(cursor, context)) ??
    (await signalMissing(cursor, context));
  if (missing) return notExecuted(missing);
  const services: string[] = [];
  for (const path of SERVICES) if (await answers(path, context)) services.push(path);
  const at = cursor.spec.source === 'vendor' ? 'offer' : 'upload';
  const text = 'All checks passed: backup, free space and signal';
  return go({ ...cursor, services, tries: 0, at }, text, { services });
}

/** Sends the image; the device checks it at once. */
async function upload(cursor: CursorAt<Cursor, 'upload'>, context: StepContext): Promise<Result> {
  const mismatch = await imageRefused(cursor, context);
  if (mismatch) return notExecuted(mismatch);
  const image = (await imageOf(cursor.spec, context))!;
  const request = { method: 'POST', path: PATHS.uploadFirmware, artifactId: image.id, fileName: image.name } as const;
  let report: FirmwareImage;
  try {
    report = await context.upload(request, firmwareImage);
  } catch (error) {
    return notExecuted(storeFailure(error) ?? uploadFailure(error, image.bytes));
  }
  const { sha256, bytes } = image;
  const refusal = reportRefused(report, { stated: image.version, sha256, running: cursor.from }, cursor.spec);
  if (refusal?.code === 'image_broken_on_the_way' && cursor.tries + 1 < MAX_TRIES) {
    return go({ ...cursor, tries: cursor.tries + 1 }, refusal.message, refusal.facts);
  }
  return judged(cursor, report, refusal, 'The device has the image and accepts it', { bytes, sha256 });
}

/** For both sources: continues with the upgrade, or discards the image. */
function judged(
  cursor: CursorAt<Cursor, 'upload' | 'verify'>,
  report: FirmwareImage,
  refusal: Failure | null,
  text: string,
  facts: Facts,
): Result {
  const { spec: given, serial, models, hardware, from, services } = cursor;
  const rest = { spec: given, serial, models, hardware, from, services, tries: cursor.tries + 1 };
  if (refusal) {
    const next = { ...rest, at: 'discard', failure: refusal } as const;
    return go(next, `The image is not flashed: ${refusal.message}`, refusal.facts);
  }
  const wanted = report.fw_version || null;
  if (wanted !== null && from !== null && isSameVersion(wanted, from)) return alreadyThere(from);
  return go({ ...rest, at: 'upgrade', wanted }, text, { ...facts, wanted });
}

async function verify(cursor: CursorAt<Cursor, 'verify'>, { call }: StepContext): Promise<Result> {
  const report = await call({ method: 'POST', path: PATHS.verifyFirmware }, firmwareImage);
  const refusal = reportRefused(report, { stated: cursor.offered, sha256: null, running: cursor.from }, cursor.spec);
  return judged(cursor, report, refusal, 'The device accepts the image', { offered: cursor.offered });
}

/** Deletes a refused image from the device. A failure of that does not change the end. */
async function discard({ failure }: CursorAt<Cursor, 'discard'>, { call }: StepContext): Promise<Result> {
  await call({ method: 'POST', path: PATHS.deleteFirmware }, z.unknown()).catch(nullWhenRefused);
  return notExecuted(failure);
}

/** The last check before the point of no return. */
async function askForUpgrade(cursor: CursorAt<Cursor, 'upgrade'>, context: StepContext): Promise<Result> {
  const before = await probe(context);
  const otherDevice = endIfOtherSerial(cursor.serial, before.serial);
  if (otherDevice) return otherDevice;
  if (cursor.wanted !== null && before.version !== null && isSameVersion(cursor.wanted, before.version)) {
    return alreadyThere(before.version);
  }
  return effect(
    'upgrade',
    cursor,
    before,
    'Tells the device to flash the image; this is the point of no return',
    before,
  );
}

async function send(cursor: CursorAt<Cursor, 'upgrade'>, { call }: StepContext) {
  const json = { data: { keep_settings: cursor.spec.keepSettings ? '1' : '0' } };
  await call({ method: 'POST', path: PATHS.upgradeFirmware, json }, z.unknown());
}

async function conclude(
  cursor: CursorAt<Cursor, 'upgrade'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { refusal } = evidence;
  if (!refusal) return verdictOf(cursor, await concludeUpgrade(cursor, evidence, context), context);
  const after = { refused: refusal.facts };
  const { wanted: _, missedSince: _missed, ...rest } = cursor;
  const isGone = hasCode(refusal, ACTION_CODES.firmwareMissing.code);
  if (!isGone || cursor.tries >= MAX_TRIES) return refused(notExecuted(refusal), after);
  const at = cursor.spec.source === 'vendor' ? 'offer' : 'upload';
  return refused(
    go({ ...rest, at } as const, 'The device has lost the image; sends it again', { tries: cursor.tries }),
    after,
  );
}

function verdictOf(cursor: CursorAt<Cursor, 'upgrade'>, verdict: UpgradeVerdict, context: StepContext): Verdict {
  const { missedSince: _, ...found } = cursor;
  if (verdict.is === 'undecided') {
    const { missedSince, ...undecided } = verdict;
    return { ...undecided, cursor: missedSince === undefined ? found : { ...found, missedSince } };
  }
  if (verdict.is !== 'flashed') return verdict;
  const { after, downSeconds } = verdict;
  const since = context.now.toISOString();
  const next = { ...found, at: 'confirm', now: after.version, downSeconds, since } as const;
  const stepResult = go(next, 'The device came back with the wanted version', { ...after, downSeconds });
  return { is: 'executed', after, stepResult };
}

/** The intended version runs. It counts when the device accepts a new login and all earlier services answer again. */
async function confirm(cursor: CursorAt<Cursor, 'confirm'>, context: StepContext): Promise<Result> {
  await context.endSessions();
  const after = await probe(context);
  if (after.serial !== cursor.serial) return endOfOtherDevice(cursor.serial, after.serial);
  if (after.version === null || !isSameVersion(after.version, cursor.now)) {
    if (after.version !== null) await storeVersions(after.version, context);
    const message = 'The device came back with the new version and then changed to another one';
    return endWith('failed', 'fell_back', message, { wanted: cursor.wanted, version: after.version });
  }
  const silent: string[] = [];
  for (const path of cursor.services) if (!(await answers(path, context))) silent.push(path);
  if (silent.length > 0 && context.now.getTime() - Date.parse(cursor.since) < SERVICES_START_MS) {
    return poll(cursor, 10_000);
  }
  await storeVersions(after.version, context);
  const { from, downSeconds, spec: given } = cursor;
  const result = { serial: after.serial, from, version: after.version, changed: true, downSeconds };
  if (silent.length === 0) {
    const text = 'It is the same device, it runs the wanted version, and its services answer';
    return succeed({ ...result, artifactUsed: given.artifactId ?? null }, text);
  }
  const message = 'The device runs the wanted version, but services that answered before no longer answer';
  return end('failed', { code: 'services_missing', message, facts: { silent } }, result);
}

/** @throws errors that say nothing about the image */
function uploadFailure(error: unknown, bytes: number): Failure {
  const facts = error instanceof AppError ? { bytes, ...error.facts } : { bytes };
  if (isRefusedWith(error, 150))
    return { code: 'no_room_on_device', message: 'The device does not have enough free space', facts };
  if (isRefusedWith(error, 151)) {
    return { code: 'image_too_large', message: 'The image is larger than the device accepts', facts };
  }
  throw error;
}

const PERCENT: Readonly<Record<Cursor['at'], [percent: number, text: string]>> = {
  identify: [2, 'Checking the identity of the device'],
  check: [5, 'Checking the conditions'],
  upload: [10, 'Sending the image'],
  offer: [10, 'Asking the vendor'],
  fetch: [12, 'Telling the device to fetch the image'],
  download: [12, 'The device fetches the image'],
  verify: [42, 'Waiting for the device to check the image'],
  discard: [45, 'Removing the image from the device'],
  upgrade: [48, 'Flashing, and waiting for the device to come back'],
  confirm: [95, 'Checking the health of the device'],
};

/** A flash takes 5 minutes (observed-devices.md 5). The progress of the wait is estimated, and stays below its end. */
const FLASH_MS = 330_000;

function progress(cursor: Cursor, { intent, now }: ProgressInput): Progress {
  const [percent, text] = PERCENT[cursor.at];
  if (cursor.at === 'download') return { percent: percent + Math.floor(cursor.percent * 0.3), text };
  if (cursor.at !== 'upgrade') return { percent, text };
  return { percent: percent + Math.floor(46 * Math.min(1, awayForMs(intent, now) / FLASH_MS)), text };
}
