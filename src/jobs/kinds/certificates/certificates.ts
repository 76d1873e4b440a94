import { z } from 'zod';
import { CERTIFICATE_TYPES, type CertificateListing, certificateListing, PATHS } from '../../../device-api/contract.js';
import { type Failure } from '../../rows/job-state.js';
import { examine, type Examined, filesOf, isCertificate, isKey } from '../../kind/certificate-files.js';
import { identity } from '../../kind/identity.js';
import { defineKind, type Evidence, type KindOutcome, type StepContext, type EffectVerdict } from '../../kind/kind.js';

/*
 *   survey --> order ==effect: generate==> wait (polls the listing) --> check --> succeeded
 *     |  ^                                                               ^
 *     |  +== effect: remove, file by file ==  clear <-- inspect: due     |
 *     |                                            +--- not due --> succeeded
 *     +--- the device is making them already ----------------------------+ (through wait)
 *
 * The device generates in the background, tells no progress and no error: a crashed generator leaves its files in
 * `generating` or nowhere (observed behaviour, section 3). What proves success: all files are listed as generated, none as
 * generating, and the files themselves, read back, fit together.
 *
 * Private keys are read to be compared with their certificates. They are not kept, or, with `export`, as sealed values.
 *
 * Removing the files that are to be replaced is the point of no return: what uses them is without them from then on.
 */

const DEADLINE_MS = 2 * 60 * 60_000;

/** The listing is all that tells of progress; a key takes 1 to 4 s, the parameters 20 to 120 s. */
const POLL_MS = 3_000;

/** So long without a new file, many times of what the slowest takes: the generator has died. */
const STUCK_MS = 15 * 60_000;

/** Files that are neither made nor being made: a restart of the device has killed the generator. */
const LOST_MS = 60_000;

/** An answer that was lost, and no sign of a generation. */
const SETTLED_MS = 60_000;

const LOOK_AGAIN_MS = 5_000;
const MAX_SENDS = 3;
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
      .describe('Files that are there are made anew when one ends sooner'),
    replace: z.boolean().default(false).describe('Files that are there are made anew whatever their age'),
    export: z.boolean().default(false).describe('Whether the private keys are kept, as sealed values'),
  })
  .refine(({ type, name }) => type !== 'simple' || name === undefined, {
    path: ['name'],
    message: 'the files of the type simple have fixed names',
  });
type Spec = z.output<typeof spec>;

const memory = {
  spec,
  old: z.array(z.string()),
  /** Whether files that were there have been removed. */
  cleared: z.boolean().default(false),
  sends: z.number().int(),
};
const cursor = z.discriminatedUnion('at', [
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
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const certificates = defineKind<Spec, Cursor>({
  name: 'certificates',
  deadlineMs: DEADLINE_MS,
  spec,
  cursor,
  start: (given) => ({ at: 'survey', spec: given, old: [], cleared: false, sends: 0 }),
  step(now, context) {
    switch (now.at) {
      case 'survey':
        return survey(now, context);
      case 'inspect':
        return inspect(now, context);
      case 'clear':
        return clear(now, context);
      case 'order':
        return order(now, context);
      case 'wait':
        return wait(now, context);
      case 'check':
        return check(now, context);
    }
  },
  effects: {
    remove: { send: sendRemove, conclude: concludeRemove },
    generate: { send: sendGenerate, conclude: concludeGenerate },
  },
  isPastReturn: (now, intent) =>
    intent !== null && (intent.state === 'sent' || intent.state === 'executed' || now.at === 'clear'),
  progress(now) {
    const total = filesOf(now.spec.type, now.spec.name).length;
    if (now.at === 'check') return { percent: 95, text: 'Comparing keys and certificates' };
    if (now.at !== 'wait') return { percent: 5, text: 'Looking at what is there' };
    return { percent: 10 + Math.floor((80 * now.ready.length) / total), text: `${now.ready.length} of ${total} files` };
  },
});

/** Whose certificates these will be, and which of the files are there. */
async function survey(now: At<'survey'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const stranger = await identity(context);
  if (stranger) return { next: 'end', outcome: 'not_executed', failure: stranger };
  const { ready, making } = await filesNow(now, context);
  if (making.length > 0) {
    return {
      next: 'go',
      cursor: waiting(now, ready, making, context),
      say: { text: 'The device is making them already' },
    };
  }
  if (ready.length === 0)
    return { next: 'go', cursor: { ...now, at: 'order' }, say: { text: 'None of the files is there' } };
  const { replace, renewBeforeDays } = now.spec;
  if (replace)
    return { next: 'go', cursor: { ...now, at: 'clear', files: ready, old: await oldOf(ready, now, context) } };
  if (renewBeforeDays !== undefined) return { next: 'go', cursor: { ...now, at: 'inspect' } };
  const message = 'Files of these names are there: ask for them to be replaced, or renewed before they end';
  const failure = { code: 'certificates_exist', message, facts: { files: ready } };
  return { next: 'end', outcome: 'not_executed', failure };
}

/** Whether it is time to make them anew. */
async function inspect(now: At<'inspect'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { ready } = await filesNow(now, context);
  const wanted = filesOf(now.spec.type, now.spec.name);
  const found = await fetchAll(ready.filter(isCertificate), now, context);
  const missing = wanted.filter((file) => !ready.includes(file));
  const soonest = Math.min(...found.certificates.map(({ notAfter }) => notAfter.getTime()));
  const isDue = soonest - context.now.getTime() < now.spec.renewBeforeDays! * DAY_MS;
  const facts = { missing, problems: found.problems, ends: found.certificates.map(endsOf) };
  await context.noteCertificates(found.certificates);
  if (!isDue && missing.length === 0 && found.problems.length === 0) {
    const say = { text: 'They last long enough', facts };
    return { next: 'end', outcome: 'succeeded', result: { renewed: false, certificates: facts.ends }, say };
  }
  const old = found.certificates.map(({ fingerprint }) => fingerprint);
  return { next: 'go', cursor: { ...now, at: 'clear', files: ready, old }, say: { text: 'They are made anew', facts } };
}

/** A device refuses to generate over files that are there: they go first, one by one. */
async function clear(now: At<'clear'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { ready } = await filesNow(now, context);
  const files = now.files.filter((file) => ready.includes(file));
  const [file] = files;
  if (file === undefined) {
    await context.forgetCertificates(now.files);
    return {
      next: 'go',
      cursor: { ...now, at: 'order', cleared: true, sends: 0 },
      say: { text: 'The old files are gone' },
    };
  }
  const say = { text: 'An old file is removed', facts: { file } };
  return {
    next: 'effect',
    effect: 'remove',
    cursor: { ...now, files: [file, ...now.files.filter((one) => one !== file)] },
    before: { ready },
    say,
  };
}

async function sendRemove(at: Cursor, { call }: StepContext) {
  const { files } = expectAt(at, 'clear');
  await call({ method: 'DELETE', path: `${PATHS.certificates}/${encodeURIComponent(files[0]!)}` }, z.unknown());
  return { accepted: true };
}

async function concludeRemove(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = expectAt(at, 'clear');
  const { ready } = await filesNow(now, context);
  const [file] = now.files;
  const after = { ready };
  if (!ready.includes(file!)) return { is: 'executed', after, outcome: { next: 'go', cursor: { ...now, sends: 0 } } };
  if (evidence.refusal) return { is: 'not_executed', after, outcome: failed(evidence.refusal) };
  if (evidence.answer === undefined && evidence.sentForMs < SETTLED_MS)
    return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = now.sends + 1;
  if (sends < MAX_SENDS) return { is: 'not_executed', after, outcome: { next: 'go', cursor: { ...now, sends } } };
  const message = 'The device does not remove the file that is to be replaced';
  return { is: 'not_executed', after, outcome: failed({ code: 'did_not_hold', message, facts: { file } }) };
}

async function order(now: At<'order'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { ready, making } = await filesNow(now, context);
  const { type, name } = now.spec;
  const say = { text: 'The device is told to make them', facts: { type, ...(name ? { name } : {}) } };
  return { next: 'effect', effect: 'generate', cursor: now, before: { ready, making }, say };
}

async function sendGenerate(at: Cursor, { call }: StepContext) {
  const { type, name, keyBits, days, subject } = at.spec;
  const data = {
    type,
    key_size: String(keyBits),
    days: String(days),
    ...(name ? { name } : {}),
    ...(subject ? { subject } : {}),
  };
  await call({ method: 'POST', path: PATHS.generateCertificates, json: { data } }, z.unknown());
  return { accepted: true };
}

async function concludeGenerate(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = expectAt(at, 'order');
  if (evidence.refusal) return { is: 'not_executed', after: {}, outcome: failed(evidence.refusal) };
  const { ready, making } = await filesNow(now, context);
  const after = { ready, making };
  const isBegun = ready.length + making.length > 0;
  if (isBegun || evidence.answer !== undefined) {
    const text =
      evidence.answer === undefined ? 'The answer was lost, but the device makes them' : 'The device makes them';
    return {
      is: 'executed',
      after,
      outcome: { next: 'go', cursor: waiting(now, ready, making, context), say: { text } },
    };
  }
  if (evidence.sentForMs < SETTLED_MS) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = now.sends + 1;
  if (sends < MAX_SENDS) {
    const say = { text: 'The answer was lost and nothing is being made; it is asked for again', facts: { sends } };
    return { is: 'not_executed', after, outcome: { next: 'go', cursor: { ...now, sends }, say } };
  }
  const message = now.cleared
    ? 'The device never answered, and makes nothing; the old files are gone'
    : 'The device never answered, and makes nothing';
  const failure = { code: 'answer_lost', message, facts: { sends } };
  const outcome = now.cleared ? 'failed' : 'not_executed';
  return { is: 'not_executed', after, outcome: { next: 'end', outcome, failure } };
}

/** Nothing but the listing tells how far it is, and nothing at all that it has stopped. */
async function wait(now: At<'wait'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const wanted = filesOf(now.spec.type, now.spec.name);
  const { ready, making } = await filesNow(now, context);
  if (ready.length === wanted.length && making.length === 0) {
    const say = { text: 'All files are made', facts: { files: ready.length } };
    return { next: 'go', cursor: { at: 'check', spec: now.spec, old: now.old, cleared: now.cleared, sends: 0 }, say };
  }
  if (ready.length !== now.ready.length || making.length !== now.making.length) {
    const say = { text: `${ready.length} of ${wanted.length} files are made`, facts: { ready, making } };
    return {
      next: 'wait',
      cursor: waiting(now, ready, making, context),
      afterMs: POLL_MS,
      reason: 'device_works',
      say,
    };
  }
  const stillMs = context.now.getTime() - Date.parse(now.since);
  const facts = {
    ready,
    making,
    missing: wanted.filter((file) => !ready.includes(file)),
    stillSeconds: Math.round(stillMs / 1000),
  };
  if (making.length === 0 && stillMs >= LOST_MS) {
    const message = 'The device has stopped making the files: some are neither made nor being made';
    return failed({ code: 'generation_lost', message, facts });
  }
  if (stillMs >= STUCK_MS) {
    const message = 'The generation is stuck: no file has been made for a long time';
    return failed({ code: 'generation_stuck', message, facts });
  }
  return { next: 'wait', cursor: now, afterMs: POLL_MS, reason: 'device_works' };
}

/** Files that are listed can be empty, old or of each other: they are read and compared. */
async function check(now: At<'check'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const files = filesOf(now.spec.type, now.spec.name);
  const texts = await textsOf(files, context);
  const { certificates: seen, problems } = examine(texts, now.spec.type, context.now);
  const stale = seen.filter(({ fingerprint }) => now.old.includes(fingerprint)).map(({ fullname }) => fullname);
  if (problems.length + stale.length > 0) {
    const message = 'The files are listed as made, but are not what they should be';
    return failed({ code: 'files_do_not_fit', message, facts: { problems, stale } });
  }
  const sealedValues: { file: string; valueId: string }[] = [];
  for (const file of now.spec.export ? files.filter(isKey) : []) {
    const label = `${file} of ${context.device.name}`;
    sealedValues.push({ file, valueId: await context.secrets.keep(file, label, texts.get(file)!) });
  }
  await context.noteCertificates(seen);
  const artifacts = [];
  for (const file of files.filter((one) => !isKey(one))) {
    artifacts.push({
      kind: 'certificate',
      name: file,
      ...(await context.store(Buffer.from(texts.get(file)!))),
    } as const);
  }
  return {
    next: 'keep',
    artifacts,
    result: { renewed: now.old.length > 0, certificates: seen.map(endsOf), sealedValues },
    say: { text: 'Keys and certificates fit together', facts: { certificates: seen.map(endsOf) } },
  };
}

async function fetchAll(files: readonly string[], now: Cursor, context: StepContext): Promise<Examined> {
  return examine(await textsOf(files, context), now.spec.type, context.now);
}

/** Fingerprints of what will be replaced, so that an old file is not taken for a new one. */
async function oldOf(files: readonly string[], now: Cursor, context: StepContext): Promise<string[]> {
  const { certificates: seen } = await fetchAll(files.filter(isCertificate), now, context);
  return seen.map(({ fingerprint }) => fingerprint);
}

async function textsOf(files: readonly string[], { fetch }: StepContext): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of files) {
    const path = `/api/certificates/${encodeURIComponent(file)}/actions/download`;
    texts.set(file, (await fetch({ method: 'POST', path }, MAX_FILE_BYTES)).toString('utf8'));
  }
  return texts;
}

/** Which of the files of this job are made, and which are being made. */
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
): At<'wait'> {
  return { at: 'wait', spec: given, old, cleared, sends: 0, ready, making, since: now.toISOString() };
}

function endsOf({ fullname, subject, notAfter, fingerprint }: Examined['certificates'][number]) {
  return { file: fullname, subject, notAfter: notAfter.toISOString(), fingerprint };
}

function failed(failure: Failure) {
  return { next: 'end', outcome: 'failed', failure } as const;
}

function expectAt<Name extends Cursor['at']>(now: Cursor, name: Name): At<Name> {
  if (now.at !== name) throw new Error(`An effect of the step ${name} ran at ${now.at}`);
  return now as At<Name>;
}
