import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CERTIFICATE_DIRECTORY, certificateListing, PATHS, uploadedFile } from '../../../device-api/contract.js';
import { devicePath, touchesSession } from '../../../proxy/connections/device-path.js';
import { type Failure } from '../../rows/job-state.js';
import { isRefusal } from '../../rows/job-trouble.js';
import { isSame, type Options } from '../../kind/call-aims.js';
import { bundleOf, problemOfAuthority, seenOf } from '../../kind/certificate-files.js';
import { identity } from '../../kind/identity.js';
import { defineKind, type Evidence, type KindOutcome, type StepContext, type EffectVerdict } from '../../kind/kind.js';
import { INSTEAD_OF_SECRETS, secretsIn } from '../../kind/secret-fields.js';

/*
 *   identify --> send ==effect: upload==> refer ==effect: refer==> succeeded
 *                                           |  refused
 *                                           +--> tidy ==effect: remove==> failed
 *
 * A stored artifact goes to an upload endpoint of a service, and the path that the device answers into an option of a
 * configuration item (specification, Endpoints, rule 3). What proves success is the item, read again. The item is read
 * before a byte is sent, too: a file for an item that is not there would be left over.
 *
 * Files under /etc/certificates are listed, can be read back and removed; of files of other services the API tells nothing.
 * There a lost answer is `unknown`, and what may have been left on the device is named.
 */

const DEADLINE_MS = 2 * 60 * 60_000;
const SETTLED_MS = 60_000;
const LOOK_AGAIN_MS = 5_000;

/** Times that a part is sent, when it is certain that it was not carried out before. */
const MAX_SENDS = 3;

/** A certificate or a key; larger files are not read back. */
const MAX_READ_BYTES = 256 * 1024;

const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
const ITEM_PATH = /\/(?:config\/[^/]+|global)$/;

const spec = z
  .strictObject({
    artifactId: z.uuid(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('What was approved; another digest is refused'),
    path: z
      .string()
      .describe('Upload endpoint of the service, such as /api/certificates/root_ca/config')
      .meta({ examples: ['/api/certificates/root_ca/config'] }),
    fileName: z.string().regex(FILE_NAME).optional().describe('Its name on the device; absent: that of the artifact'),
    fields: z.record(z.string(), z.string()).default({}).describe('Further fields of the form'),
    into: z
      .strictObject({
        path: z.string().describe('The configuration item: /api/<service>/config/{id}, or …/global'),
        option: z
          .string()
          .regex(/^[\w.-]{1,64}$/)
          .describe('Its option that is to hold the path of the file'),
      })
      .optional(),
  })
  .superRefine((given, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    const problem = problemOf(given.path);
    if (problem) refuse(['path'], problem);
    for (const field of secretsIn(given.fields, given.path)) refuse(['fields', ...field], INSTEAD_OF_SECRETS);
    if (!given.into) return;
    const into = devicePath(given.into.path);
    if (!into.ok) refuse(['into', 'path'], into.reason);
    else if (!ITEM_PATH.test(into.path.policy)) refuse(['into', 'path'], 'it is no configuration item');
  });
type Spec = z.output<typeof spec>;

const file = { spec, name: z.string(), sends: z.number().int() };
const stored = { ...file, stored: z.string(), isNew: z.boolean() };
const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('send'), ...file }),
  z.object({ at: z.literal('refer'), ...stored }),
  z.object({
    at: z.literal('tidy'),
    ...stored,
    failure: z.object({ code: z.string(), message: z.string(), facts: z.record(z.string(), z.unknown()) }),
  }),
]);
type Cursor = z.infer<typeof cursor>;
type At<Name extends Cursor['at']> = Extract<Cursor, { at: Name }>;

export const upload = defineKind<Spec, Cursor>({
  name: 'upload',
  deadlineMs: DEADLINE_MS,
  spec,
  cursor,
  start: (given) => ({ at: 'identify', spec: given }),
  calls: ({ path, into }) => [path, ...(into ? [into.path] : [])].map((one) => ({ path: policyOf(one), writes: true })),
  artifactsOf: ({ artifactId, sha256 }) => [{ artifactId, sha256 }],
  step(now, context) {
    switch (now.at) {
      case 'identify':
        return identify(now, context);
      case 'send':
        return prepareSend(now, context);
      case 'refer':
        return prepareRefer(now, context);
      case 'tidy':
        return Promise.resolve(prepareTidy(now));
    }
  },
  effects: {
    upload: { send: sendFile, conclude: concludeFile },
    refer: { send: sendRefer, conclude: concludeRefer },
    remove: { send: sendRemove, conclude: concludeRemove },
  },
  isPastReturn: (now, intent) => now.at === 'refer' || now.at === 'tidy' || intent?.state === 'sent',
  progress(now) {
    const percent = { identify: 5, send: 20, refer: 80, tidy: 90 }[now.at];
    return { percent, text: now.at === 'send' ? 'Sending the file' : 'Telling the device where the file is used' };
  },
});

async function identify(now: At<'identify'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { spec: given } = now;
  const refuse = (failure: Failure) => ({ next: 'end', outcome: 'not_executed', failure }) as const;
  const stranger = await identity(context);
  if (stranger) return refuse(stranger);
  const artifact = await context.artifact(given.artifactId);
  if (!artifact)
    return refuse({ code: 'artifact_not_found', message: 'The artifact is not there any more', facts: {} });
  const name =
    given.fileName ??
    artifact.name
      .replaceAll(/[^\w.-]/g, '_')
      .replace(/^\.+/, '')
      .slice(-64);
  if (given.into && (await readItem(given.into.path, context)) === null) {
    const message = 'There is no such configuration item, so the file would be of no use';
    return refuse({ code: 'item_not_found', message, facts: { path: given.into.path } });
  }
  const unfit = isRootCa(given) ? problemOfAuthority(await rootCa(given, context), context.now) : null;
  if (unfit)
    return refuse({ code: 'not_an_authority', message: `The file cannot be trusted as a root: ${unfit}`, facts: {} });
  const { sha256, bytes } = artifact;
  const say = { text: 'The file and the place for it are there', facts: { name, bytes, sha256 } };
  return { next: 'go', cursor: { at: 'send', spec: given, name, sends: 0 }, say };
}

async function prepareSend(now: At<'send'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const before = isListed(now.spec) ? { listed: await isThere(now.name, context) } : {};
  const say = { text: 'The file is sent', facts: { path: now.spec.path, name: now.name } };
  return { next: 'effect', effect: 'upload', cursor: now, before, say };
}

async function sendFile(at: Cursor, context: StepContext) {
  const { spec: given, name } = expectAt(at, 'send');
  const { artifactId, path, fields } = given;
  const request = { method: 'POST', path, artifactId, fileName: name, fields } as const;
  return { path: (await context.upload(request, uploadedFile)).path };
}

async function concludeFile(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = expectAt(at, 'send');
  if (evidence.refusal) {
    return { is: 'not_executed', after: {}, outcome: { next: 'end', outcome: 'failed', failure: evidence.refusal } };
  }
  const isNew = evidence.before['listed'] === false;
  const answer = z.object({ path: z.string() }).safeParse(evidence.answer);
  if (answer.success) return uploaded(now, answer.data.path, isNew, 'The device has taken the file');
  if (!isListed(now.spec)) {
    const message = 'The answer was lost, and nothing tells whether the device has the file; nothing refers to it';
    const failure = { code: 'answer_lost', message, facts: { mayHaveLeft: now.name, path: now.spec.path } };
    return { is: 'unknown', after: {}, outcome: { next: 'end', outcome: 'unknown', failure } };
  }
  if (await hasSameBytes(now, context)) {
    return uploaded(now, CERTIFICATE_DIRECTORY + now.name, isNew, 'The answer was lost, but the device has the file');
  }
  if (evidence.sentForMs < SETTLED_MS) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const sends = now.sends + 1;
  if (sends < MAX_SENDS) {
    const say = { text: 'The answer was lost and the file is not there; it is sent again', facts: { sends } };
    return { is: 'not_executed', after: {}, outcome: { next: 'go', cursor: { ...now, sends }, say } };
  }
  const failure = { code: 'answer_lost', message: 'The file never arrived on the device', facts: { sends } };
  return { is: 'not_executed', after: {}, outcome: { next: 'end', outcome: 'not_executed', failure } };
}

function uploaded(now: At<'send'>, path: string, isNew: boolean, text: string): EffectVerdict<Cursor> {
  const say = { text, facts: { path } };
  const cursor = { ...now, at: 'refer', stored: path, isNew, sends: 0 } as const;
  return { is: 'executed', after: { path }, outcome: { next: 'go', cursor, say } };
}

async function prepareRefer(now: At<'refer'>, context: StepContext): Promise<KindOutcome<Cursor>> {
  const { into } = now.spec;
  await noteAuthority(now, context);
  if (!into) return succeeded(now);
  const item = await readItem(into.path, context);
  if (item === null) return endDangling(now, itemGone(into.path));
  if (isReferred(item, now)) return succeeded(now);
  return {
    next: 'effect',
    effect: 'refer',
    cursor: now,
    before: { value: item[into.option] ?? null },
    say: { text: 'The path of the file is written into the configuration', facts: { ...into, file: now.stored } },
  };
}

async function sendRefer(at: Cursor, context: StepContext) {
  const now = expectAt(at, 'refer');
  const { path, option } = now.spec.into!;
  const item = await readItem(path, context);
  const value = Array.isArray(item?.[option]) ? [...(item[option] as unknown[]), now.stored] : now.stored;
  await context.call({ method: 'PUT', path, json: { data: { [option]: value } } }, z.unknown());
  return { accepted: true };
}

async function concludeRefer(at: Cursor, evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = expectAt(at, 'refer');
  const { path, option } = now.spec.into!;
  if (evidence.refusal) {
    return { is: 'not_executed', after: {}, outcome: endDangling(now, evidence.refusal) };
  }
  const item = await readItem(path, context);
  const after = { value: item?.[option] ?? null };
  if (item && isReferred(item, now)) return { is: 'executed', after, outcome: succeeded(now) };
  if (evidence.answer !== undefined) {
    const message = 'The device accepted the path of the file, but the item does not hold it';
    return { is: 'executed', after, outcome: endDangling(now, { code: 'did_not_hold', message, facts: after }) };
  }
  if (evidence.sentForMs < SETTLED_MS) return { is: 'undecided', afterMs: LOOK_AGAIN_MS };
  const isAsBefore = isSame(after.value, evidence.before['value']);
  const sends = now.sends + 1;
  if (isAsBefore && sends < MAX_SENDS) {
    const say = { text: 'The answer was lost and the item is as before; it is sent again', facts: { sends } };
    return { is: 'not_executed', after, outcome: { next: 'go', cursor: { ...now, sends }, say } };
  }
  const message = 'The answer was lost, and the item does not hold the path of the file';
  const failure = { code: 'answer_lost', message, facts: { ...after, sends } };
  return { is: isAsBefore ? 'not_executed' : 'unknown', after, outcome: endDangling(now, failure) };
}

/** The file is on the device and nothing refers to it: it goes again where the API can do that, or it is named. */
function endDangling(now: At<'refer'>, failure: Failure) {
  if (now.isNew && isListed(now.spec)) {
    const say = { text: 'Nothing refers to the file; it is removed again', facts: { path: now.stored } };
    return {
      next: 'go',
      cursor: { ...now, at: 'tidy', failure: { ...failure, facts: { ...failure.facts } } },
      say,
    } as const;
  }
  return failed(failure, { leftOnDevice: now.stored });
}

function prepareTidy(now: At<'tidy'>): KindOutcome<Cursor> {
  return { next: 'effect', effect: 'remove', cursor: now, before: { path: now.stored } };
}

async function sendRemove(at: Cursor, { call }: StepContext) {
  const { name } = expectAt(at, 'tidy');
  await call({ method: 'DELETE', path: `${PATHS.certificates}/${encodeURIComponent(name)}` }, z.unknown());
  return { accepted: true };
}

async function concludeRemove(at: Cursor, _evidence: Evidence, context: StepContext): Promise<EffectVerdict<Cursor>> {
  const now = expectAt(at, 'tidy');
  const isLeft = await isThere(now.name, context);
  const facts = isLeft ? { leftOnDevice: now.stored } : { removedAgain: now.stored };
  return { is: isLeft ? 'not_executed' : 'executed', after: { isLeft }, outcome: failed(now.failure, facts) };
}

function succeeded(now: At<'refer'>) {
  const { into } = now.spec;
  return { next: 'end', outcome: 'succeeded', result: { path: now.stored, ...(into ? { into } : {}) } } as const;
}

function failed(failure: Failure, facts: Failure['facts']) {
  return { next: 'end', outcome: 'failed', failure: { ...failure, facts: { ...failure.facts, ...facts } } } as const;
}

function isReferred(item: Options, { spec: given, stored: path }: At<'refer'>): boolean {
  const value = item[given.into!.option];
  return Array.isArray(value) ? value.includes(path) : value === path;
}

/** Whether it becomes a root certificate, which the device trusts from then on. */
const isRootCa = ({ path }: Spec): boolean => policyOf(path) === PATHS.uploadRootCa;

/** The text of a small artifact; null when it is too large to be a certificate. */
async function rootCa({ artifactId }: Spec, context: StepContext): Promise<string | null> {
  const artifact = await context.artifact(artifactId);
  if (!artifact || artifact.bytes > MAX_READ_BYTES) return null;
  return (await context.content(artifactId, MAX_READ_BYTES)).toString('utf8');
}

/** Writes down when a root certificate on the device ends. */
async function noteAuthority(now: At<'refer'>, context: StepContext): Promise<void> {
  const [authority] = isRootCa(now.spec) ? bundleOf((await rootCa(now.spec, context)) ?? '') : [];
  const fullname = now.stored.split('/').at(-1)!;
  if (authority) await context.noteCertificates([seenOf(fullname, 'root_ca', authority)]);
}

async function readItem(path: string, { call }: StepContext): Promise<Options | null> {
  try {
    return await call({ method: 'GET', path }, z.looseObject({}));
  } catch (error) {
    if (isRefusal(error) && error.facts['deviceStatus'] === 404) return null;
    throw error;
  }
}

/** Whether the file comes to where files are listed. */
function isListed({ path }: Spec): boolean {
  return path.includes('/certificates/');
}

async function isThere(name: string, { call }: StepContext): Promise<boolean> {
  const { generated } = await call({ method: 'GET', path: PATHS.certificates }, certificateListing);
  return generated.some(({ fullname }) => fullname === name);
}

async function hasSameBytes(now: At<'send'>, context: StepContext): Promise<boolean> {
  const artifact = await context.artifact(now.spec.artifactId);
  if (!artifact || artifact.bytes > MAX_READ_BYTES || !(await isThere(now.name, context))) return false;
  const path = `/api/certificates/${encodeURIComponent(now.name)}/actions/download`;
  const bytes = await context.fetch({ method: 'POST', path }, MAX_READ_BYTES);
  return createHash('sha256').update(bytes).digest('hex') === artifact.sha256;
}

function itemGone(path: string): Failure {
  return { code: 'item_not_found', message: 'The configuration item is not there any more', facts: { path } };
}

function expectAt<Name extends Cursor['at']>(now: Cursor, name: Name): At<Name> {
  if (now.at !== name) throw new Error(`An effect of the step ${name} ran at ${now.at}`);
  return now as At<Name>;
}

function policyOf(path: string): string {
  const verdict = devicePath(path);
  return verdict.ok ? verdict.path.policy : path;
}

function problemOf(path: string): string | null {
  const verdict = devicePath(path);
  if (!verdict.ok) return verdict.reason;
  const { policy } = verdict.path;
  if (touchesSession(policy)) return 'the gateway logs in and out by itself';
  return /^\/api\/(?:firmware|backup)\//.test(policy) ? 'use the kinds `firmware` and `restore` for that' : null;
}
