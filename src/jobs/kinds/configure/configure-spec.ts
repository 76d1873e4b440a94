import { z } from 'zod';
import { devicePath, touchesSession } from '../../../proxy/connections/device-path.js';
import { secretsIn } from '../../kind-api/secret-fields.js';

/* The rules for a guarded change of the configuration, checked before it becomes a job. Pure. */

/** Each is read, snapshot and read again; a device takes at most 100 in one bulk request. */
const MAX_CHANGES = 32;

/** Spec, snapshot and result are stored in the job's row. */
export const MAX_CHARACTERS = 128 * 1024;

const options = z.record(z.string().max(64), z.unknown());
/** A list and no record: a result is shown without the values under the name of a secret, its id included. */
const sealed = z
  .array(z.strictObject({ option: z.string().min(1).max(64), valueId: z.uuid() }))
  .max(32)
  .default([])
  .describe('Options with secret values, as ids of sealed values');

const configureChange = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('create'),
    path: z.string().describe('/api/<service>/config'),
    data: options.describe('Options of the new item; `id` where the service wants one from its caller'),
    sealed,
  }),
  z.strictObject({
    action: z.literal('update'),
    path: z.string().describe('/api/<service>/config/{id} or /api/<service>/global'),
    data: options.default({}).describe('Options to change; an empty text unsets an option'),
    sealed,
  }),
  z.strictObject({ action: z.literal('delete'), path: z.string().describe('/api/<service>/config/{id}') }),
]);
export type ConfigureChange = z.output<typeof configureChange>;

export const configureSpec = z
  .strictObject({
    changes: z
      .array(configureChange)
      .min(1)
      .max(MAX_CHANGES)
      .describe('In the order in which the device gets them')
      .meta({ examples: [[{ action: 'update', path: '/api/wireguard/config/wg0', data: { enabled: '1' } }]] }),
    dryRun: z.boolean().default(false).describe('Whether to report only the difference and send nothing'),
    acceptRisk: z
      .boolean()
      .default(false)
      .describe('Whether a change is allowed that can cut the connection to the device; needs a recent second factor'),
  })
  .superRefine(({ changes }, context) => {
    const refuse = (at: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path: ['changes', ...at], message });
    if (JSON.stringify(changes).length > MAX_CHARACTERS) refuse([], `larger than ${MAX_CHARACTERS} characters`);
    const seen = new Set<string>();
    for (const [index, change] of changes.entries()) {
      const problem = problemOfPath(change);
      if (problem) refuse([index, 'path'], problem);
      for (const { at, message } of problemsOfOptions(change)) refuse([index, ...at], message);
      const item = itemOf(change);
      if (item !== null && seen.has(item)) refuse([index, 'path'], 'another change has the same item');
      if (item !== null) seen.add(item);
    }
  });
export type ConfigureSpec = z.output<typeof configureSpec>;

/** Path of the item that a change is about; null when the device will give it its id. */
export function itemOf(change: ConfigureChange): string | null {
  if (change.action !== 'create') return bare(change.path);
  const id = change.data['id'];
  return typeof id === 'string' && id !== '' ? `${bare(change.path)}/${encodeURIComponent(id)}` : null;
}

/** Without a trailing slash, so that one item has one path. */
export const bare = (path: string) => path.replace(/\/$/, '');

const COLLECTION = /^\/api\/.+\/config$/;
const ITEM = /^\/api\/.+\/config\/[^/]+$/;
const RECORD = /^\/api\/.+\/global$/;

/** Kinds of their own know how to prove, and what to keep apart. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/users\/config(?:\/|$)/, 'passwords cannot be read back, so it could not be undone: use the kind `users`'],
  [/^\/api\/certificates\//, 'use the kinds `certificates` and `upload`'],
  [/^\/api\/(?:firmware|backup|events_log)\//, 'it is not a configuration service'],
];

function problemOfPath({ action, path }: ConfigureChange): string | null {
  const verdict = devicePath(path);
  if (!verdict.ok) return verdict.reason;
  const { authPath } = verdict.path;
  if (path.includes('?')) return 'a change cannot have a query';
  if (touchesSession(authPath)) return 'the gateway logs in and out by itself; its session is shared';
  const elsewhere = ELSEWHERE.find(([paths]) => paths.test(authPath));
  if (elsewhere) return elsewhere[1];
  if (action === 'create') return COLLECTION.test(authPath) ? null : 'an item is created at /api/<service>/config';
  if (ITEM.test(authPath)) return null;
  if (action === 'update' && RECORD.test(authPath)) return null;
  return 'it is not a configuration item: /api/<service>/config/{id}, or /api/<service>/global for an update';
}

interface Problem {
  readonly at: string[];
  readonly message: string;
}

function problemsOfOptions(change: ConfigureChange): Problem[] {
  if (change.action === 'delete') return [];
  const { data, sealed: hidden } = change;
  const problems: Problem[] = secretsIn(data, change.path).map((field) => ({
    at: ['data', ...field],
    message: 'it looks like a secret, and a spec is stored and shown: name a sealed value in `sealed` instead',
  }));
  for (const [index, { option }] of hidden.entries()) {
    const at = ['sealed', String(index), 'option'];
    if (Object.hasOwn(data, option)) problems.push({ at, message: 'it is also in `data`' });
    if (option === 'id' || option === '.type') problems.push({ at, message: 'it is not an option' });
    if (hidden.findIndex((other) => other.option === option) < index)
      problems.push({ at, message: 'it appears twice' });
  }
  if (change.action === 'update') {
    if (Object.hasOwn(data, 'id')) problems.push({ at: ['data', 'id'], message: 'the id of an item cannot change' });
    if (Object.keys(data).length + hidden.length === 0) {
      problems.push({ at: ['data'], message: 'it changes no option' });
    }
  }
  const { id } = data;
  const isOdd =
    id !== undefined && (typeof id !== 'string' || !devicePath(`${bare(change.path)}/${encodeURIComponent(id)}`).ok);
  if (change.action === 'create' && isOdd)
    problems.push({ at: ['data', 'id'], message: 'it cannot be an id in a path' });
  return problems;
}
