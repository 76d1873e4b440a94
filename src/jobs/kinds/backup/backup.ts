import { z } from 'zod';
import { backupDigests, backupStatus, PATHS, systemStatus } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { defineKind, type Effect, type Evidence, type StepContext, type EffectVerdict } from '../../kind/kind.js';

/*
 *   identify --> generate ==effect==> download --> kept as the job's artifact, succeeded
 *                   ^                   |   ^
 *                   |                   v   | (bytes are not what was announced: ask the device again)
 *                   +---- it is gone -- recheck
 *
 * Making a backup is synchronous on the device and takes 10 to 60 s (observed behaviour, section 3); it overwrites the
 * one before and harms nothing, so it may be cancelled at any time. It goes through the journal all the same: which
 * backup was made by this job is known only by the digest that the device announces, and when that answer is lost, by
 * the digest before and after.
 */

/**
 * Clients allow 60 to 120 s for a backup to be made (observed behaviour, section 3). This long after it was asked for,
 * a backup whose answer was lost and that has not appeared is taken for not made.
 */
const GENERATE_MS = 120_000;

/** Between two looks at a device that may be at work. */
const LOOK_AGAIN_MS = 5_000;

/** Times that one job has a backup made. */
const MAX_SENDS = 3;

/** Times that the bytes may differ from what was announced. */
const MAX_DOWNLOADS = 3;

const DOWNLOAD_MS = 300_000;

const spec = z.strictObject({
  sealedValue: z
    .uuid()
    .optional()
    .describe('Id of a sealed value, the passphrase: the device encrypts the backup, which opens with it alone'),
});
type Spec = z.output<typeof spec>;

/** The passphrase; absent for a backup in clear. */
const passphrase = { sealedValue: z.uuid().optional() };
const identity = { serial: z.string(), firmware: z.string().nullable(), ...passphrase };
const announced = { announced: z.string(), sends: z.number().int(), downloads: z.number().int() };

const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), ...passphrase }),
  z.object({ at: z.literal('generate'), ...identity, sends: z.number().int() }),
  z.object({ at: z.literal('download'), ...identity, ...announced }),
  z.object({ at: z.literal('recheck'), ...identity, ...announced, received: z.string() }),
]);
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const backup = defineKind<Spec, Cursor>({
  name: 'backup',
  deadlineMs: 60 * 60_000,
  spec,
  cursor,
  start: (given) => ({ at: 'identify', ...given }),
  sealedValuesOf: ({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : []),
  step(now, context) {
    switch (now.at) {
      case 'identify':
        return identify(now, context);
      case 'generate':
        return askForGenerate(now, context);
      case 'download':
        return download(now, context);
      case 'recheck':
        return recheck(now, context);
    }
  },
  effects: { generate: generateEffect() },
  isPastReturn: () => false,
});

/** Whose configuration this will be; a backup of another device is worse than none. */
async function identify(now: At<'identify'>, { call, device }: StepContext) {
  const status = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  const { serial } = status.mnfinfo;
  const firmware = status.static?.fw_version ?? null;
  if (device.serial !== null && device.serial !== serial) {
    return {
      next: 'end',
      outcome: 'not_executed',
      failure: {
        code: 'identity_mismatch',
        message: 'Another device answers at this address',
        facts: { expectedSerial: device.serial, serial },
      },
    } as const;
  }
  return {
    next: 'go',
    cursor: { ...now, at: 'generate', serial, firmware, sends: 0 },
    say: { text: 'The device is the one that was meant', facts: { serial, firmware } },
  } as const;
}

/** Looks which backup is on the device before it is told to make one. */
async function askForGenerate(now: At<'generate'>, context: StepContext) {
  const sha256 = await currentDigest(context);
  return {
    next: 'effect',
    effect: 'generate',
    cursor: now,
    before: { sha256 },
    say: { text: 'The device is told to make a backup', facts: { sha256Before: sha256 } },
  } as const;
}

function generateEffect(): Effect<Cursor> {
  return {
    async send(now, { call, secrets }) {
      const data = now.sealedValue ? { encrypt: '1', password: await secrets.open(now.sealedValue) } : {};
      const request = {
        method: 'POST',
        path: PATHS.generateBackup,
        json: { data },
        deadlineMs: GENERATE_MS,
      } as const;
      return { sha256: digest(await call(request, backupDigests)) };
    },
    async conclude(now, evidence, context) {
      if (now.at !== 'generate') throw new Error(`A backup was generated at the step ${now.at}`);
      if (evidence.refusal) {
        return {
          is: 'not_executed',
          after: { refused: evidence.refusal.facts },
          outcome: { next: 'end', outcome: 'failed', failure: evidence.refusal },
        };
      }
      const answer = made.safeParse(evidence.answer);
      if (answer.success) return generated(now, answer.data.sha256, 'The device made a backup');
      return concludeByLooking(now, evidence, context);
    },
  };
}

const made = z.object({ sha256: z.string() });

/** The answer was lost: another digest than before is the proof that the backup was made. */
async function concludeByLooking(
  now: At<'generate'>,
  { before, sentForMs }: Evidence,
  context: StepContext,
): Promise<EffectVerdict<Cursor>> {
  const sha256 = await currentDigest(context);
  if (sha256 !== null && sha256 !== before['sha256']) {
    return generated(now, sha256, 'The answer was lost, but the device has a new backup');
  }
  if (sentForMs < GENERATE_MS) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = now.sends + 1;
  if (sends < MAX_SENDS) {
    const say = { text: 'The answer was lost and no new backup appeared; it is asked for again', facts: { sends } };
    return { is: 'not_executed', after: { sha256 }, outcome: { next: 'go', cursor: { ...now, sends }, say } };
  }
  // An unchanged configuration may give the same bytes again: then nobody can tell whether they were made anew.
  const is = sha256 === null ? 'not_executed' : 'unknown';
  const failure = {
    code: 'backup_not_made',
    message: 'The device never said that it made a backup, and none has appeared',
    facts: { sends, sha256Before: before['sha256'], sha256After: sha256 },
  };
  return { is, after: { sha256 }, outcome: { next: 'end', outcome: is, failure } };
}

function generated(now: At<'generate'>, sha256: string, text: string): EffectVerdict<Cursor> {
  return {
    is: 'executed',
    after: { sha256 },
    outcome: {
      next: 'go',
      cursor: { ...now, at: 'download', announced: sha256, sends: now.sends + 1, downloads: 0 },
      say: { text, facts: { announcedSha256: sha256 } },
    },
  };
}

async function download(now: At<'download'>, { save, now: at }: StepContext) {
  const request = { method: 'POST', path: PATHS.downloadBackup, deadlineMs: DOWNLOAD_MS } as const;
  const saved = await save(request, now.announced).catch(nullWhenGone);
  if (!saved) return makeAnother(now, 'The backup is not on the device any more');
  const { serial, firmware } = now;
  const { sha256, bytes } = saved;
  if (!saved.isAsAnnounced) {
    return {
      next: 'go',
      cursor: { ...now, at: 'recheck', received: sha256 },
      say: {
        text: 'The bytes are not the announced ones',
        facts: { announcedSha256: now.announced, receivedSha256: sha256, bytes },
      },
    } as const;
  }
  return {
    next: 'keep',
    artifacts: [{ kind: 'backup', name: fileName(serial, at), sha256, bytes }],
    result: { serial, firmware, sha256, bytes, ...sealedIn(now) },
    say: {
      text: 'The backup is stored, and its digest is the one that the device announced',
      facts: { sha256, bytes },
    },
  } as const;
}

/** Other bytes than announced: they broke on the way, or someone else had a backup made meanwhile. */
async function recheck(now: At<'recheck'>, context: StepContext) {
  const { received, ...rest } = now;
  const sha256 = await currentDigest(context);
  if (sha256 === null) return makeAnother(now, 'The backup is not on the device any more');
  const downloads = now.downloads + 1;
  if (downloads >= MAX_DOWNLOADS) {
    return {
      next: 'end',
      outcome: 'failed',
      failure: {
        code: 'digest_mismatch',
        message: 'The bytes that came are not the ones that the device announced',
        facts: { announcedSha256: sha256, receivedSha256: received, downloads },
      },
    } as const;
  }
  return { next: 'go', cursor: { ...rest, at: 'download', announced: sha256, downloads } } as const;
}

function makeAnother(now: At<'download'> | At<'recheck'>, text: string) {
  const { serial, firmware, sends } = now;
  if (sends >= MAX_SENDS) {
    return {
      next: 'end',
      outcome: 'failed',
      failure: { code: 'backup_vanished', message: text, facts: { sends } },
    } as const;
  }
  return { next: 'go', cursor: { at: 'generate', serial, firmware, sends, ...sealedIn(now) }, say: { text } } as const;
}

const sealedIn = ({ sealedValue }: Cursor) => (sealedValue ? { sealedValue } : {});

/** The digest of the backup on the device; null when there is none. */
async function currentDigest({ call }: StepContext): Promise<string | null> {
  const status = await call({ method: 'GET', path: PATHS.backupStatus }, backupStatus);
  return status.backup_exists && isDigest(status.sha256) ? status.sha256.toLowerCase() : null;
}

/** @throws AppError `device_answer_invalid` when the device announced something that is no digest */
function digest({ sha256 }: { sha256: string }): string {
  if (!isDigest(sha256)) throw new AppError('device_answer_invalid', { at: '/data/sha256' });
  return sha256.toLowerCase();
}

function isDigest(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text);
}

/** Observed behaviour, section 3: the download answers 404 when there is no backup. */
function nullWhenGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'device_refused' && error.facts['deviceStatus'] === 404) return null;
  throw error;
}

function fileName(serial: string, at: Date): string {
  const instant = at.toISOString().replace(/[-:]|\.\d+/g, '');
  return `backup-${serial.replace(/[^\w.-]/g, '_')}-${instant}.tar.gz`;
}
