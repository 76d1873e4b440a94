import { z } from 'zod';
import { CERTIFICATE_TYPES, type CertificateListing, certificateListing, PATHS } from '../../../device-api/contract.js';
import { concludeWrite } from '../../kind-api/conclude-write.js';
import { examine, type ExaminedFiles, filesOf, isCertificate, isKey } from '../../kind-api/certificate-files.js';
import { endIfOtherDevice } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { effect, end, endWith, go, poll, refused, succeed } from '../../kind-api/outcomes.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   survey --> order ==effect: generate==> wait (polls the listing) --> check --> succeeded
 *     |  ^                                                               ^
 *     |  +== effect: remove, file by file ==  clear <-- inspect: due     |
 *     |                                            +--- not due --> succeeded
 *     +--- the device is making them already ----------------------------+ (through wait)
 *
 * The device generates in the background and reports no progress and no error: a crashed generator leaves its files in
 * `generating` or nowhere (observed-devices.md 3). Success means that all files are listed as generated and none
 * as generating, and that the files, read back, belong together.
 *
 * Private keys are read and compared with their certificates. They are stored only with `export`, as sealed values.
 *
 * Removing the replaced files is the point of no return: services that use them have none from then on.
 */

const DEADLINE_MS = 2 * 60 * 60_000;

/** Only the listing shows progress; a key takes 1 to 4 s, the parameters 20 to 120 s. */
const POLL_MS = 3_000;

/** After this time without a new file, many times the slowest one's, the generator has died. */
const STUCK_MS = 15 * 60_000;

/** Files that are neither made nor in generation: a restart of the device has killed the generator. */
const LOST_MS = 60_000;

const MAX_FILE_BYTES = 64 * 1024;
const DAY_MS = 24 * 60 * 60_000;

const spec = z
  .strictObject({
    type: z.enum(CERTIFICATE_TYPES).describe('`simple`: an authority, a server, a client, and parameters'),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-][A-Za-z0-9_-]{0,47}$/)
      .optional(),
    keyBits: z.union([z.literal(2048), z.literal(3072), z.literal(4096)]).default(2048),
    days: z.int().min(1).max(36_500).default(3_650),
    subject: z
      .string()
      .regex(/^[\w .@-]{1,64}$/)
      .optional()
      .describe('Common name'),
    renewBeforeDays: z
      .int()
      .min(0)
      .max(3_650)
      .optional()
      .describe('Existing files are generated again when one expires sooner'),
    replace: z.boolean().default(false).describe('Existing files are generated again, whatever their age'),
    export: z.boolean().default(false).describe('Whether the private keys are stored, as sealed values'),
  })
  .refine(({ type, name }) => type !== 'simple' || name === undefined, {
    path: ['name'],
    message: 'the files of the type simple have fixed names',
  });
type Spec = z.output<typeof spec>;

const memory = {
  spec,
  old: z.array(z.string()),
  cleared: z.boolean().default(false),
  sends: z.number().int(),
};
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('survey'), ...memory }),
  z.object({ at: z.literal('inspect'), ...memory }),
  z.object({ at: z.literal('clear'), ...memory, files: z.array(z.string()) }),
  z.object({ at: z.literal('order'), ...memory }),
  z.object({
    at: z.literal('wait'),
    ...memory,
    ready: z.array(z.string()),
    making: z.array(z.string()),
    since: z.string(),
  }),
  z.object({ at: z.literal('check'), ...memory }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const certificates = defineKind<Spec, Cursor>({
  name: 'certificates',
  deadlineMs: DEADLINE_MS,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'survey', spec: given, old: [], cleared: false, sends: 0 }),
  steps: { survey, inspect, clear, order, wait, check },
  effects: {
    remove: { at: 'clear', send: sendRemove, conclude: concludeRemove },
    generate: { at: 'order', send: sendGenerate, conclude: concludeGenerate },
  },
  isIrrevocable: (cursor, intent) =>
    intent !== null && (intent.state === 'sent' || intent.state === 'executed' || cursor.at === 'clear'),
  progress(cursor) {
    const total = filesOf(cursor.spec.type, cursor.spec.name).length;
    if (cursor.at === 'check') return { percent: 95, text: 'Comparing keys and certificates' };
    if (cursor.at !== 'wait') return { percent: 5, text: 'Reading the existing files' };
    return {
      percent: 10 + Math.floor((80 * cursor.ready.length) / total),
      text: `${cursor.ready.length} of ${total} files`,
    };
  },
});

/** Verifies the device, and reads which of the files exist. */
async function survey(cursor: CursorAt<Cursor, 'survey'>, context: StepContext): Promise<KindResult<Cursor>> {
  const otherDevice = await endIfOtherDevice(context);
  if (otherDevice) return otherDevice;
  const { ready, making } = await filesNow(cursor, context);
  if (making.length > 0) return go(waiting(cursor, ready, making, context), 'The device is already generating them');
  if (ready.length === 0) return go({ ...cursor, at: 'order' }, 'None of the files exists');
  const { replace, renewBeforeDays } = cursor.spec;
  if (replace) return go({ ...cursor, at: 'clear', files: ready, old: await oldOf(ready, cursor, context) });
  if (renewBeforeDays !== undefined) return go({ ...cursor, at: 'inspect' });
  const message = 'Files with these names exist: request that they are replaced, or renewed before they expire';
  return endWith('not_executed', 'certificates_exist', message, { files: ready });
}

async function inspect(cursor: CursorAt<Cursor, 'inspect'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { ready } = await filesNow(cursor, context);
  const wanted = filesOf(cursor.spec.type, cursor.spec.name);
  const found = await fetchAll(ready.filter(isCertificate), cursor, context);
  const missing = wanted.filter((file) => !ready.includes(file));
  const soonest = Math.min(...found.certificates.map(({ notAfter }) => notAfter.getTime()));
  const isDue = soonest - context.now.getTime() < cursor.spec.renewBeforeDays! * DAY_MS;
  const facts = { missing, problems: found.problems, ends: found.certificates.map(endsOf) };
  await context.noteCertificates(found.certificates);
  if (!isDue && missing.length === 0 && found.problems.length === 0) {
    return succeed({ renewed: false, certificates: facts.ends }, 'They are valid for long enough', facts);
  }
  const old = found.certificates.map(({ fingerprint }) => fingerprint);
  return go({ ...cursor, at: 'clear', files: ready, old }, 'They are generated again', facts);
}

/** A device refuses to overwrite existing files: they are removed first, one by one. */
async function clear(cursor: CursorAt<Cursor, 'clear'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { ready } = await filesNow(cursor, context);
  const files = cursor.files.filter((file) => ready.includes(file));
  const [file] = files;
  if (file === undefined) {
    await context.forgetCertificates(cursor.files);
    return go({ ...cursor, at: 'order', cleared: true, sends: 0 }, 'The old files are gone');
  }
  const ordered = { ...cursor, files: [file, ...cursor.files.filter((one) => one !== file)] };
  return effect('remove', ordered, { ready }, 'Removes an old file', { file });
}

async function sendRemove({ files }: CursorAt<Cursor, 'clear'>, { call }: StepContext) {
  await call({ method: 'DELETE', path: `${PATHS.certificates}/${encodeURIComponent(files[0]!)}` }, z.unknown());
}

async function concludeRemove(
  cursor: CursorAt<Cursor, 'clear'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { ready } = await filesNow(cursor, context);
  const [file] = cursor.files;
  const after = { ready };
  const isGone = !ready.includes(file!);
  if (evidence.refusal && !isGone) return refused(end('failed', evidence.refusal), after);
  return concludeWrite<Cursor>(evidence, {
    after,
    applied: isGone ? go({ ...cursor, sends: 0 }) : null,
    sends: cursor.sends,
    resend: (sends) => go({ ...cursor, sends }),
    lost: () => {
      const message = 'The device does not remove the file that must be replaced';
      return { is: 'not_executed', stepResult: endWith('failed', 'did_not_hold', message, { file }) };
    },
  });
}

async function order(cursor: CursorAt<Cursor, 'order'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { ready, making } = await filesNow(cursor, context);
  const { type, name } = cursor.spec;
  const facts = { type, ...(name ? { name } : {}) };
  return effect('generate', cursor, { ready, making }, 'Tells the device to generate them', facts);
}

async function sendGenerate({ spec: given }: CursorAt<Cursor, 'order'>, { call }: StepContext) {
  const { type, name, keyBits, days, subject } = given;
  const data = {
    type,
    key_size: String(keyBits),
    days: String(days),
    ...(name ? { name } : {}),
    ...(subject ? { subject } : {}),
  };
  await call({ method: 'POST', path: PATHS.generateCertificates, json: { data } }, z.unknown());
}

async function concludeGenerate(
  cursor: CursorAt<Cursor, 'order'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  if (evidence.refusal) return refused(end('failed', evidence.refusal));
  const { ready, making } = await filesNow(cursor, context);
  const isAnswered = evidence.answer !== undefined;
  const isBegun = ready.length + making.length > 0;
  const text = isAnswered ? 'The device generates them' : 'The answer was lost, but the device generates them';
  return concludeWrite<Cursor>(evidence, {
    after: { ready, making },
    applied: isBegun || isAnswered ? go(waiting(cursor, ready, making, context), text) : null,
    sends: cursor.sends,
    resend: (sends) =>
      go({ ...cursor, sends }, 'The answer was lost and nothing is being made; it is asked for again', { sends }),
    lost: (sends) => {
      const message = 'The device never answered, and generates nothing';
      const stepResult = cursor.cleared
        ? endWith('failed', 'answer_lost', `${message}; the old files are gone`, { sends })
        : endWith('not_executed', 'answer_lost', message, { sends });
      return { is: 'not_executed', stepResult };
    },
  });
}

/** Polls the listing, the only sign of progress or of a dead generator. */
async function wait(cursor: CursorAt<Cursor, 'wait'>, context: StepContext): Promise<KindResult<Cursor>> {
  const wanted = filesOf(cursor.spec.type, cursor.spec.name);
  const { ready, making } = await filesNow(cursor, context);
  if (ready.length === wanted.length && making.length === 0) {
    const { spec: given, old, cleared } = cursor;
    return go({ at: 'check', spec: given, old, cleared, sends: 0 }, 'All files are generated', { files: ready.length });
  }
  if (ready.length !== cursor.ready.length || making.length !== cursor.making.length) {
    const text = `${ready.length} of ${wanted.length} files are generated`;
    return poll(waiting(cursor, ready, making, context), POLL_MS, text, { ready, making });
  }
  const stillMs = context.now.getTime() - Date.parse(cursor.since);
  const facts = {
    ready,
    making,
    missing: wanted.filter((file) => !ready.includes(file)),
    stillSeconds: Math.round(stillMs / 1000),
  };
  if (making.length === 0 && stillMs >= LOST_MS) {
    const message = 'The device has stopped: some files are neither generated nor in progress';
    return endWith('failed', 'generation_lost', message, facts);
  }
  if (stillMs >= STUCK_MS) {
    const message = 'The generation is stuck: no file was generated for a long time';
    return endWith('failed', 'generation_stuck', message, facts);
  }
  return poll(cursor, POLL_MS);
}

/** Listed files can be empty, old or mismatched: they are read and compared. */
async function check(cursor: CursorAt<Cursor, 'check'>, context: StepContext): Promise<KindResult<Cursor>> {
  const files = filesOf(cursor.spec.type, cursor.spec.name);
  const texts = await textsOf(files, context);
  const { certificates: seen, problems } = examine(texts, cursor.spec.type, context.now);
  const stale = seen.filter(({ fingerprint }) => cursor.old.includes(fingerprint)).map(({ fullname }) => fullname);
  if (problems.length + stale.length > 0) {
    const message = 'The files are listed as generated, but their content is wrong';
    return endWith('failed', 'files_do_not_fit', message, { problems, stale });
  }
  const sealedValues: { file: string; valueId: string }[] = [];
  for (const file of cursor.spec.export ? files.filter(isKey) : []) {
    const label = `${file} of ${context.device.name}`;
    sealedValues.push({ file, valueId: await context.secrets.seal(file, label, texts.get(file)!) });
  }
  await context.noteCertificates(seen);
  const artifacts = [];
  for (const file of files.filter((one) => !isKey(one))) {
    const stored = await context.store(Buffer.from(texts.get(file)!));
    artifacts.push({ kind: 'certificate', name: file, ...stored } as const);
  }
  return {
    next: 'end_with_artifacts',
    artifacts,
    result: { renewed: cursor.old.length > 0, certificates: seen.map(endsOf), sealedValues },
    logLine: { text: 'Keys and certificates match', facts: { certificates: seen.map(endsOf) } },
  };
}

async function fetchAll(files: readonly string[], cursor: Cursor, context: StepContext): Promise<ExaminedFiles> {
  return examine(await textsOf(files, context), cursor.spec.type, context.now);
}

/** Fingerprints of the replaced files, so that an old file does not count as a new one. */
async function oldOf(files: readonly string[], cursor: Cursor, context: StepContext): Promise<string[]> {
  const { certificates: seen } = await fetchAll(files.filter(isCertificate), cursor, context);
  return seen.map(({ fingerprint }) => fingerprint);
}

async function textsOf(files: readonly string[], { readFile }: StepContext): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of files) {
    const path = `/api/certificates/${encodeURIComponent(file)}/actions/download`;
    texts.set(file, (await readFile({ method: 'POST', path }, MAX_FILE_BYTES)).toString('utf8'));
  }
  return texts;
}

async function filesNow({ spec: { type, name } }: Cursor, { call }: StepContext) {
  const wanted = filesOf(type, name);
  const listing = await call({ method: 'GET', path: PATHS.certificates }, certificateListing);
  const among = (entries: CertificateListing['generating']) => {
    const listed = new Set(entries.map(({ fullname }) => fullname));
    return wanted.filter((file) => listed.has(file));
  };
  return { ready: among(listing.generated), making: among(listing.generating) };
}

function waiting(
  { spec: given, old, cleared }: Cursor,
  ready: string[],
  making: string[],
  { now }: StepContext,
): CursorAt<Cursor, 'wait'> {
  return { at: 'wait', spec: given, old, cleared, sends: 0, ready, making, since: now.toISOString() };
}

function endsOf({ fullname, subject, notAfter, fingerprint }: ExaminedFiles['certificates'][number]) {
  return { file: fullname, subject, notAfter: notAfter.toISOString(), fingerprint };
}
