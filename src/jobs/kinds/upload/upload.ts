import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CERTIFICATE_DIRECTORY, certificateListing, PATHS, uploadedFile } from '../../../device-api/contract.js';
import { devicePath, touchesSession } from '../../../proxy/connections/device-path.js';
import { type Failure, type StepResult } from '../../rows/job-state.js';
import { isSame, type Options } from '../../kind-api/intended-items.js';
import { bundleOf, problemOfAuthority, seenOf } from '../../kind-api/certificate-files.js';
import { concludeWrite } from '../../kind-api/conclude-write.js';
import { authPathOf, readItem } from '../../kind-api/device-items.js';
import { endIfOtherDevice } from '../../kind-api/identity.js';
import { type CursorAt, defineKind, type EffectVerdict, type Evidence, type KindResult } from '../../kind-api/kind.js';
import { approvedSha256, effect, end, endWith, go, refused, storedFailure, succeed } from '../../kind-api/outcomes.js';
import { INSTEAD_OF_SECRETS, secretsIn } from '../../kind-api/secret-fields.js';
import { type StepContext } from '../../kind-api/step-context.js';

/*
 *   identify --> send ==effect: upload==> refer ==effect: refer==> succeeded
 *                                           |  refused
 *                                           +--> tidy ==effect: remove==> failed
 *
 * Uploads a stored artifact to a service, and writes the path that the device answers into an option of a configuration
 * item (specification, Endpoints, rule 3). The item, read again, proves success. It is also read before the upload: the
 * file for a missing item would stay on the device unused.
 *
 * Files under /etc/certificates are listed, and can be read back and removed. The API says nothing about files of other
 * services: there a lost answer is `unknown`, and the result names the file that may be left on the device.
 */

const DEADLINE_MS = 2 * 60 * 60_000;

/** A certificate or a key; larger files are not read back. */
const MAX_READ_BYTES = 256 * 1024;

const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
const ITEM_PATH = /\/(?:config\/[^/]+|global)$/;

const spec = z
  .strictObject({
    artifactId: z.uuid(),
    sha256: approvedSha256,
    path: z
      .string()
      .describe('Upload endpoint of the service, such as /api/certificates/root_ca/config')
      .meta({ examples: ['/api/certificates/root_ca/config'] }),
    fileName: z
      .string()
      .regex(FILE_NAME)
      .optional()
      .describe('Its name on the device; absent: the name of the artifact'),
    fields: z.record(z.string(), z.string()).default({}).describe('More fields of the form'),
    into: z
      .strictObject({
        path: z.string().describe('The configuration item: /api/<service>/config/{id}, or …/global'),
        option: z
          .string()
          .regex(/^[\w.-]{1,64}$/)
          .describe('Its option for the path of the file'),
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
    else if (!ITEM_PATH.test(into.path.authPath)) refuse(['into', 'path'], 'it is not a configuration item');
  });
type Spec = z.output<typeof spec>;

const file = { spec, name: z.string(), sends: z.number().int() };
const stored = { ...file, stored: z.string(), isNew: z.boolean() };
const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('identify'), spec }),
  z.object({ at: z.literal('send'), ...file }),
  z.object({ at: z.literal('refer'), ...stored }),
  z.object({ at: z.literal('tidy'), ...stored, failure: storedFailure }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type Verdict = EffectVerdict<Cursor>;

export const upload = defineKind<Spec, Cursor>({
  name: 'upload',
  deadlineMs: DEADLINE_MS,
  spec,
  cursor: cursorSchema,
  start: (given) => ({ at: 'identify', spec: given }),
  calls: ({ path, into }) =>
    [path, ...(into ? [into.path] : [])].map((one) => ({ path: authPathOf(one), writes: true })),
  artifactsOf: ({ artifactId, sha256 }) => [{ artifactId, sha256 }],
  steps: { identify, send: prepareSend, refer: prepareRefer, tidy: prepareTidy },
  effects: {
    upload: { at: 'send', send: sendFile, conclude: concludeFile },
    refer: { at: 'refer', send: sendRefer, conclude: concludeRefer },
    remove: { at: 'tidy', send: sendRemove, conclude: concludeRemove },
  },
  isIrrevocable: (cursor, intent) => cursor.at === 'refer' || cursor.at === 'tidy' || intent?.state === 'sent',
  progress(cursor) {
    const percent = { identify: 5, send: 20, refer: 80, tidy: 90 }[cursor.at];
    return { percent, text: cursor.at === 'send' ? 'Sending the file' : 'Telling the device where the file is used' };
  },
});

async function identify(
  { spec: given }: CursorAt<Cursor, 'identify'>,
  context: StepContext,
): Promise<KindResult<Cursor>> {
  const otherDevice = await endIfOtherDevice(context);
  if (otherDevice) return otherDevice;
  const artifact = await context.artifact(given.artifactId);
  if (!artifact) return endWith('not_executed', 'artifact_not_found', 'The artifact no longer exists');
  const name = given.fileName ?? nameOnDevice(artifact.name);
  if (given.into && (await readItem(given.into.path, context)) === null) {
    const message = 'There is no such configuration item, so nothing would use the file';
    return endWith('not_executed', 'item_not_found', message, { path: given.into.path });
  }
  const unfit = isRootCa(given) ? problemOfAuthority(await rootCa(given, context), context.now) : null;
  if (unfit) return endWith('not_executed', 'not_an_authority', `The file cannot be trusted as a root: ${unfit}`);
  const { sha256, bytes } = artifact;
  const next = { at: 'send', spec: given, name, sends: 0 } as const;
  return go(next, 'The file and its configuration item exist', { name, bytes, sha256 });
}

function nameOnDevice(name: string): string {
  return name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(-64);
}

async function prepareSend(cursor: CursorAt<Cursor, 'send'>, context: StepContext): Promise<KindResult<Cursor>> {
  const before = isListed(cursor.spec) ? { listed: await isThere(cursor.name, context) } : {};
  return effect('upload', cursor, before, 'Sends the file', { path: cursor.spec.path, name: cursor.name });
}

async function sendFile({ spec: given, name }: CursorAt<Cursor, 'send'>, context: StepContext) {
  const { artifactId, path, fields } = given;
  const request = { method: 'POST', path, artifactId, fileName: name, fields } as const;
  return { path: (await context.upload(request, uploadedFile)).path };
}

async function concludeFile(
  cursor: CursorAt<Cursor, 'send'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  if (evidence.refusal) return refused(end('failed', evidence.refusal));
  const isNew = evidence.before['listed'] === false;
  const uploaded = (path: string, text: string) =>
    go({ ...cursor, at: 'refer', stored: path, isNew, sends: 0 } as const, text, { path });
  const answer = z.object({ path: z.string() }).safeParse(evidence.answer);
  if (answer.success) {
    const { path } = answer.data;
    return { is: 'executed', after: { path }, stepResult: uploaded(path, 'The device has accepted the file') };
  }
  if (!isListed(cursor.spec)) {
    const message = 'The answer was lost, and it is not known whether the device has the file; nothing refers to it';
    const facts = { mayHaveLeft: cursor.name, path: cursor.spec.path };
    return { is: 'unknown', after: {}, stepResult: endWith('unknown', 'answer_lost', message, facts) };
  }
  const path = CERTIFICATE_DIRECTORY + cursor.name;
  const isThereNow = await hasSameBytes(cursor, context);
  return concludeWrite<Cursor>(
    { ...evidence, answer: undefined },
    {
      after: isThereNow ? { path } : {},
      applied: isThereNow ? uploaded(path, 'The answer was lost, but the device has the file') : null,
      sends: cursor.sends,
      resend: (sends) =>
        go({ ...cursor, sends }, 'The answer was lost and the device does not have the file; sends it again', {
          sends,
        }),
      lost: (sends) => {
        const message = 'The file never arrived on the device';
        return { is: 'not_executed', stepResult: endWith('not_executed', 'answer_lost', message, { sends }) };
      },
    },
  );
}

async function prepareRefer(cursor: CursorAt<Cursor, 'refer'>, context: StepContext): Promise<KindResult<Cursor>> {
  const { into } = cursor.spec;
  await noteAuthority(cursor, context);
  if (!into) return succeeded(cursor);
  const item = await readItem(into.path, context);
  if (item === null) return endDangling(cursor, itemGone(into.path));
  if (isReferred(item, cursor)) return succeeded(cursor);
  const before = { value: item[into.option] ?? null };
  const facts = { ...into, file: cursor.stored };
  return effect('refer', cursor, before, 'Writes the path of the file into the configuration', facts);
}

async function sendRefer(cursor: CursorAt<Cursor, 'refer'>, context: StepContext) {
  const { path, option } = cursor.spec.into!;
  const item = await readItem(path, context);
  const value = Array.isArray(item?.[option]) ? [...(item[option] as unknown[]), cursor.stored] : cursor.stored;
  await context.call({ method: 'PUT', path, json: { data: { [option]: value } } }, z.unknown());
}

async function concludeRefer(
  cursor: CursorAt<Cursor, 'refer'>,
  evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const { path, option } = cursor.spec.into!;
  if (evidence.refusal) return refused(endDangling(cursor, evidence.refusal));
  const item = await readItem(path, context);
  const after = { value: item?.[option] ?? null };
  const asBefore = isSame(after.value, evidence.before['value']);
  const message = 'The device accepted the path of the file, but the item does not have it';
  return concludeWrite<Cursor>(evidence, {
    after,
    applied: item && isReferred(item, cursor) ? succeeded(cursor) : null,
    notApplied: endDangling(cursor, { code: 'did_not_hold', message, facts: after }),
    asBefore,
    sends: cursor.sends,
    resend: (sends) =>
      go({ ...cursor, sends }, 'The answer was lost and the item is as before; sends it again', { sends }),
    lost: (sends) => {
      const lost = 'The answer was lost, and the item does not have the path of the file';
      const stepResult = endDangling(cursor, { code: 'answer_lost', message: lost, facts: { ...after, sends } });
      return { is: asBefore ? 'not_executed' : 'unknown', stepResult };
    },
  });
}

/** The file is on the device and nothing refers to it: the job removes it if the API can, or names it. */
function endDangling(cursor: CursorAt<Cursor, 'refer'>, failure: Failure): StepResult<Cursor> {
  if (!cursor.isNew || !isListed(cursor.spec)) return failed(failure, { leftOnDevice: cursor.stored });
  const next = { ...cursor, at: 'tidy', failure: { ...failure, facts: { ...failure.facts } } } as const;
  return go(next, 'Nothing refers to the file; removes it', { path: cursor.stored });
}

function prepareTidy(cursor: CursorAt<Cursor, 'tidy'>): KindResult<Cursor> {
  return effect('remove', cursor, { path: cursor.stored });
}

async function sendRemove({ name }: CursorAt<Cursor, 'tidy'>, { call }: StepContext) {
  await call({ method: 'DELETE', path: `${PATHS.certificates}/${encodeURIComponent(name)}` }, z.unknown());
}

async function concludeRemove(
  cursor: CursorAt<Cursor, 'tidy'>,
  _evidence: Evidence,
  context: StepContext,
): Promise<Verdict> {
  const isLeft = await isThere(cursor.name, context);
  const facts = isLeft ? { leftOnDevice: cursor.stored } : { removedAgain: cursor.stored };
  return { is: isLeft ? 'not_executed' : 'executed', after: { isLeft }, stepResult: failed(cursor.failure, facts) };
}

const succeeded = ({ spec: { into }, stored: path }: CursorAt<Cursor, 'refer'>) =>
  succeed({ path, ...(into ? { into } : {}) });

function failed(failure: Failure, facts: Failure['facts']) {
  return end('failed', { ...failure, facts: { ...failure.facts, ...facts } });
}

function isReferred(item: Options, { spec: given, stored: path }: CursorAt<Cursor, 'refer'>): boolean {
  const value = item[given.into!.option];
  return Array.isArray(value) ? value.includes(path) : value === path;
}

/** Whether it becomes a root certificate, which the device trusts from then on. */
const isRootCa = ({ path }: Spec): boolean => authPathOf(path) === PATHS.uploadRootCa;

/** The text of a small artifact; null when it is too large to be a certificate. */
async function rootCa({ artifactId }: Spec, context: StepContext): Promise<string | null> {
  const artifact = await context.artifact(artifactId);
  if (!artifact || artifact.bytes > MAX_READ_BYTES) return null;
  return (await context.content(artifactId, MAX_READ_BYTES)).toString('utf8');
}

/** Records when a root certificate on the device expires. */
async function noteAuthority(cursor: CursorAt<Cursor, 'refer'>, context: StepContext): Promise<void> {
  const [authority] = isRootCa(cursor.spec) ? bundleOf((await rootCa(cursor.spec, context)) ?? '') : [];
  const fullname = cursor.stored.split('/').at(-1)!;
  if (authority) await context.noteCertificates([seenOf(fullname, 'root_ca', authority)]);
}

/** Whether the file is stored in a folder that the device lists. */
function isListed({ path }: Spec): boolean {
  return path.includes('/certificates/');
}

async function isThere(name: string, { call }: StepContext): Promise<boolean> {
  const { generated } = await call({ method: 'GET', path: PATHS.certificates }, certificateListing);
  return generated.some(({ fullname }) => fullname === name);
}

async function hasSameBytes(cursor: CursorAt<Cursor, 'send'>, context: StepContext): Promise<boolean> {
  const artifact = await context.artifact(cursor.spec.artifactId);
  if (!artifact || artifact.bytes > MAX_READ_BYTES || !(await isThere(cursor.name, context))) return false;
  const path = `/api/certificates/${encodeURIComponent(cursor.name)}/actions/download`;
  const bytes = await context.readFile({ method: 'POST', path }, MAX_READ_BYTES);
  return createHash('sha256').update(bytes).digest('hex') === artifact.sha256;
}

function itemGone(path: string): Failure {
  return { code: 'item_not_found', message: 'The configuration item no longer exists', facts: { path } };
}

function problemOf(path: string): string | null {
  const verdict = devicePath(path);
  if (!verdict.ok) return verdict.reason;
  const { authPath } = verdict.path;
  if (touchesSession(authPath)) return 'the gateway logs in and out by itself';
  return /^\/api\/(?:firmware|backup)\//.test(authPath) ? 'use the kinds `firmware` and `restore` for that' : null;
}
