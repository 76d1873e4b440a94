import { z } from 'zod';
import { PATHS, usageStatus } from '../../../device-api/contract.js';
import { isSameVersion } from '../../../device-api/firmware-version.js';
import { AppError } from '../../../platform/errors.js';
import { type Failure } from '../../rows/job-state.js';
import { type Cursor, type Spec } from './firmware-cursor.js';
import { type CursorAt, type KnownFacts } from '../../kind-api/kind.js';
import { artifactRefused, notAnImage } from './firmware-image.js';
import { nullWhenRefused } from '../../kind-api/device-items.js';
import { storeFailure } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/* Checks before anything has changed: the stored image, and the device that will get it. */

/** Space besides the image that the device needs to unpack and check it, in bytes: our choice, not measured. */
const SPACE_BESIDE = 4 * 1024 * 1024;

const MIB = 1024 * 1024;

/** Read before and after: a service that answered before must answer after. Not every device has each of them. */
export const SERVICES = ['/api/interfaces/status', PATHS.modemsStatus, '/api/wireless/devices/status'] as const;

/** The stored image; null when the vendor supplies it, or when it is gone. */
export async function imageOf({ artifactId }: Spec, { artifact }: StepContext) {
  return artifactId === undefined ? null : artifact(artifactId);
}

/** Reasons against the stored image, except its bytes. */
export async function imageRefused(
  cursor: Omit<CursorAt<Cursor, 'check'>, 'at'>,
  context: StepContext,
): Promise<Failure | null> {
  const { spec: given, models, hardware, from: version } = cursor;
  if (given.artifactId === undefined) return null;
  try {
    const image = await imageOf(given, context);
    if (!image) throw new AppError('artifact_not_found', { artifactId: given.artifactId });
    return artifactRefused(image, { models, hardware, version }, given);
  } catch (error) {
    const failure = storeFailure(error);
    if (!failure) throw error;
    return failure;
  }
}

/** Whether a recent backup of the device is missing, when one is required. */
export async function backupMissing(
  { spec: given }: CursorAt<Cursor, 'check'>,
  context: StepContext,
): Promise<Failure | null> {
  return given.backup === 'skip' ? null : backupTooOld(given, await context.lastBackup(), context.now);
}

/** The same for the newest backup of a device; null: there is none. */
function backupTooOld(given: Spec, last: KnownFacts['lastBackup'], now: Date): Failure | null {
  if (given.backup === 'skip') return null;
  const madeAt = last && (last.confirmedAt ?? last.createdAt);
  const ageHours = madeAt && (now.getTime() - madeAt.getTime()) / 3_600_000;
  if (ageHours !== null && ageHours <= given.backupMaxAgeHours) return null;
  return {
    code: 'backup_missing',
    message: 'There is no recent backup of the device; run a job of the kind backup first, or set `backup: skip`',
    facts: { newest: madeAt?.toISOString() ?? null, backupMaxAgeHours: given.backupMaxAgeHours },
  };
}

/** The registry has only the name of the product, so an image for a whole platform (`Teltonika RUT2M`) is the device's to judge. */
const mayNamePlatform = (pattern: string): boolean => /^(?:\*|teltonika)/i.test(pattern);

/** What the checks would refuse by what is known without the device. A fact that is not known refuses nothing. */
export function foreseen(
  given: Spec,
  { device: { model, firmware }, now, lastBackup, artifact }: KnownFacts,
): Failure[] {
  const image = given.artifactId === undefined ? null : artifact(given.artifactId);
  const known = image && {
    ...image,
    models: model === null || image.models.some(mayNamePlatform) ? [] : image.models,
    hardware: [],
    minimumVersion: firmware === null ? null : image.minimumVersion,
  };
  const device = { models: model === null ? [] : [model], hardware: null, version: firmware };
  // A device that has the version is left as it is, before anything else is checked.
  const isThere = Boolean(image?.version && firmware !== null && isSameVersion(image.version, firmware));
  return [
    isThere ? null : backupTooOld(given, lastBackup, now),
    known && artifactRefused(known, device, given),
    image?.isImage === false ? notAnImage() : null,
  ].filter((failure) => failure !== null);
}

const memory = z.looseObject({ ram_free: z.number(), flash_free: z.number() }).partial();

/** Images are stored in memory or on flash, by model; the device itself reports 150 when this check was too lenient. */
export async function spaceMissing(
  { spec: given }: CursorAt<Cursor, 'check'>,
  context: StepContext,
): Promise<Failure | null> {
  const image = await imageOf(given, context);
  if (!image) return null;
  const usage = await context.call({ method: 'GET', path: PATHS.usageStatus }, usageStatus);
  const read = memory.safeParse((usage as { memory?: unknown }).memory);
  const free = read.success ? [read.data.ram_free, read.data.flash_free].filter((mib) => mib !== undefined) : [];
  const freeBytes = free.length === 0 ? null : Math.max(...free) * MIB;
  if (freeBytes === null || freeBytes >= image.bytes + SPACE_BESIDE) return null;
  const facts = { freeBytes, neededBytes: image.bytes + SPACE_BESIDE };
  return { code: 'no_room_on_device', message: 'The device does not have enough free space for the image', facts };
}

const modems = z.array(z.looseObject({ rsrp: z.unknown().optional() }));

/** The strongest modem counts; a device without one has another connection. */
export async function signalMissing(
  { spec: given }: CursorAt<Cursor, 'check'>,
  { call }: StepContext,
): Promise<Failure | null> {
  const { minimumSignalDbm } = given;
  if (minimumSignalDbm === null) return null;
  const found = await call({ method: 'GET', path: PATHS.modemsStatus }, modems).catch(nullWhenRefused);
  const signals = (found ?? []).map(({ rsrp }) => rsrp).filter((rsrp) => typeof rsrp === 'number');
  if (signals.length === 0 || Math.max(...signals) >= minimumSignalDbm) return null;
  const facts = { rsrp: Math.max(...signals), minimumSignalDbm };
  return { code: 'signal_too_weak', message: 'The mobile signal is weaker than the requested minimum', facts };
}

/** Whether the device has a service and it answers. */
export async function answers(path: string, { call }: StepContext): Promise<boolean> {
  return (await call({ method: 'GET', path }, z.unknown()).catch(nullWhenRefused)) !== null;
}
