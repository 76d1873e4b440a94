import { z } from 'zod';
import { backupDigests, backupStatus, PATHS, systemStatus } from '../../../device-api/contract.js';
import { AppError } from '../../../platform/errors.js';
import { concludeWrite, MAX_SENDS } from '../../kind-api/conclude-write.js';
import { endIfOtherSerial } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, endWith, go, refused } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';
import { nullWhenGone } from '../../kind-api/device-items.js';

/*
 *   identify --> generate ==effect==> download --> stored as an artifact, succeeded
 *                   ^                   |   ^
 *                   |                   v   | (bytes are not what was announced: ask the device again)
 *                   +---- it is gone -- recheck
 *
 * Making a backup is synchronous on the device and takes 10 to 60 s (observed-devices.md 3). It only overwrites
 * the previous backup, so the job may be cancelled at any time. It is an effect all the same, because only the announced
 * digest shows which backup this job made; after a lost answer the job compares the digests before and after.
 */

/** Clients allow 60 to 120 s for a backup (observed-devices.md 3); after this time it was not made. */
const GENERATE_MS = 120_000;

/** How often the bytes may differ from the announced digest. */
const MAX_DOWNLOADS = 3;

const DOWNLOAD_MS = 300_000;

const spec = z.strictObject({
  sealedValue: z
    .uuid()
    .optional()
    .describe('Id of a sealed value with a passphrase: the device encrypts the backup with it'),
});
type Spec = z.output<typeof spec>;

/** The passphrase; absent for a backup in clear. */
const passphrase = { sealedValue: z.uuid().optional() };
const identity = { serial: z.string(), firmware: z.string().nullable(), ...passphrase };
const announced = { announced: z.string(), sends: z.number().int(), downloads: z.number().int() };

const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), ...passphrase }),
  z.object({ at: z.literal('generate'), ...identity, sends: z.number().int() }),
  z.object({ at: z.literal('download'), ...identity, ...announced }),
  z.object({ at: z.literal('recheck'), ...identity, ...announced, received: z.string() }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const backup = defineKind<Spec, Cursor>({
  name: 'backup',
  deadlineMs: 60 * 60_000,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'identify', ...given }),
  sealedValuesOf: ({ sealedValue }) => (sealedValue ? [{ valueId: sealedValue }] : []),
  steps: { identify, generate: askForGenerate, download, recheck },
  effects: { generate: { at: 'generate', send, conclude } },
  isIrrevocable: () => false,
});

/** Verifies the device: a backup of another device is worse than none. */
async function identify(
  cursor: CursorAt<Cursor, 'identify'>,
  { call, device }: StepContext,
): Promise<KindResult<Cursor>> {
  const status = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  const { serial } = status.mnfinfo;
  const firmware = status.static?.fw_version ?? null;
  const next = { ...cursor, at: 'generate', serial, firmware, sends: 0 } as const;
  return endIfOtherSerial(device.serial, serial) ?? go(next, 'The device is the right one', { serial, firmware });
}

async function askForGenerate(cursor: CursorAt<Cursor, 'generate'>, context: StepContext) {
  const sha256 = await currentDigest(context);
  return effect('generate', cursor, { sha256 }, 'Tells the device to make a backup', { sha256Before: sha256 });
}

async function send(cursor: CursorAt<Cursor, 'generate'>, { call, secrets }: StepContext) {
  const data = cursor.sealedValue ? { encrypt: '1', password: await secrets.open(cursor.sealedValue) } : {};
  const request = { method: 'POST', path: PATHS.generateBackup, json: { data }, deadlineMs: GENERATE_MS } as const;
  return { sha256: digest(await call(request, backupDigests)) };
}

const made = z.object({ sha256: z.string() });

async function conclude(
  cursor: CursorAt<Cursor, 'generate'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { answer, refusal, before } = evidence;
  if (refusal) return refused(end('failed', refusal), { refused: refusal.facts });
  const answered = made.safeParse(answer);
  if (answered.success) {
    const { sha256 } = answered.data;
    return { is: 'executed', after: { sha256 }, stepResult: generated(cursor, sha256, 'The device made a backup') };
  }
  // The answer was lost: a changed digest proves that the backup was made.
  const sha256 = await currentDigest(context);
  const isNew = sha256 !== null && sha256 !== before['sha256'];
  return concludeWrite<Cursor>(
    { ...evidence, answer: undefined },
    {
      after: { sha256 },
      applied: isNew ? generated(cursor, sha256, 'The answer was lost, but the device has a new backup') : null,
      sends: cursor.sends,
      settledMs: GENERATE_MS,
      resend: (sends) =>
        go({ ...cursor, sends }, 'The answer was lost and no new backup appeared; asks for it again', { sends }),
      lost: (sends) => {
        // An unchanged configuration may give the same bytes: then the result is unknown.
        const is = sha256 === null ? 'not_executed' : 'unknown';
        const message = 'The device never confirmed a backup, and none has appeared';
        const facts = { sends, sha256Before: before['sha256'], sha256After: sha256 };
        return { is, stepResult: endWith(is, 'backup_not_made', message, facts) };
      },
    },
  );
}

function generated(cursor: CursorAt<Cursor, 'generate'>, announced: string, text: string) {
  const next = { ...cursor, at: 'download', announced, sends: cursor.sends + 1, downloads: 0 } as const;
  return go(next, text, { announcedSha256: announced });
}

async function download(cursor: CursorAt<Cursor, 'download'>, { save, now }: StepContext): Promise<KindResult<Cursor>> {
  const request = { method: 'POST', path: PATHS.downloadBackup, deadlineMs: DOWNLOAD_MS } as const;
  const saved = await save(request, cursor.announced).catch(nullWhenGone);
  if (!saved) return makeAnother(cursor, 'The backup is no longer on the device');
  const { serial, firmware } = cursor;
  const { sha256, bytes } = saved;
  if (!saved.isAsAnnounced) {
    const facts = { announcedSha256: cursor.announced, receivedSha256: sha256, bytes };
    return go({ ...cursor, at: 'recheck', received: sha256 }, 'The bytes do not match the announced digest', facts);
  }
  return {
    next: 'end_with_artifacts',
    artifacts: [{ kind: 'backup', name: fileName(serial, now), sha256, bytes }],
    result: { serial, firmware, sha256, bytes, ...sealedIn(cursor) },
    logLine: {
      text: 'The backup is stored, and its digest matches the announced one',
      facts: { sha256, bytes },
    },
  };
}

/** Bytes other than announced: they were damaged in transit, or another client had a backup made. */
async function recheck(cursor: CursorAt<Cursor, 'recheck'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { received, ...rest } = cursor;
  const sha256 = await currentDigest(context);
  if (sha256 === null) return makeAnother(cursor, 'The backup is no longer on the device');
  const downloads = cursor.downloads + 1;
  if (downloads < MAX_DOWNLOADS) return go({ ...rest, at: 'download', announced: sha256, downloads });
  const message = 'The received bytes do not match the digest that the device announced';
  const facts = { announcedSha256: sha256, receivedSha256: received, downloads };
  return endWith('failed', 'digest_mismatch', message, facts);
}

function makeAnother(cursor: CursorAt<Cursor, 'download' | 'recheck'>, text: string): KindResult<Cursor> {
  const { serial, firmware, sends } = cursor;
  if (sends >= MAX_SENDS) return endWith('failed', 'backup_vanished', text, { sends });
  return go({ at: 'generate', serial, firmware, sends, ...sealedIn(cursor) }, text);
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

function fileName(serial: string, now: Date): string {
  const instant = now.toISOString().replace(/[-:]|\.\d+/g, '');
  return `backup-${serial.replace(/[^\w.-]/g, '_')}-${instant}.tar.gz`;
}
