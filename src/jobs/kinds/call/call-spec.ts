import { z } from 'zod';
import { readBulk } from '../../../device-api/bulk.js';
import { type BulkItem, type DeviceMethod, METHODS } from '../../../device-api/contract.js';
import { devicePath, touchesSession } from '../../../proxy/connections/device-path.js';
import {
  type Act,
  bulkCall,
  checkPath,
  isBulkPath,
  isReading,
  singleCall,
} from '../../../proxy/connections/call-request.js';
import { hasSecretQuery, INSTEAD_OF_SECRETS, secretsIn } from '../../kind-api/secret-fields.js';
import { isSame } from '../../kind-api/intended-items.js';

/* The expected answer of a durable call. Pure. */

export const expectation = z
  .strictObject({
    status: z.number().int().min(200).max(599).optional().describe('HTTP status of the answer'),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A part of the answer: its fields must be there and equal; lists item by item'),
  })
  .meta({ id: 'CallExpectation' });
export type Expectation = z.infer<typeof expectation>;

const MAX_MISSED = 20;

/** JSON pointers to the mismatches of an answer. @param status undefined: unknown, and not compared */
export function missedBy(
  expected: Expectation | undefined,
  { status, body }: { readonly status: number | undefined; readonly body: unknown },
): string[] {
  if (!expected) return [];
  const missed = expected.status === undefined || status === undefined || status === expected.status ? [] : ['/status'];
  if (expected.body) compare(expected.body, body, '/body', missed);
  return missed.slice(0, MAX_MISSED);
}

function compare(expected: unknown, found: unknown, at: string, missed: string[]): void {
  if (expected === null || typeof expected !== 'object') {
    if (!isSame(expected, found)) missed.push(at);
    return;
  }
  if (found === null || typeof found !== 'object' || Array.isArray(expected) !== Array.isArray(found)) {
    missed.push(at);
    return;
  }
  for (const [name, value] of Object.entries(expected)) {
    compare(value, (found as Record<string, unknown>)[name], `${at}/${name}`, missed);
  }
}

/* The rules for a durable call, checked before it becomes a job. Pure. */

/** Spec and cursor are stored in the job's row. */
const MAX_DATA_CHARACTERS = 128 * 1024;

/** Its answer is a file, which other kinds take into the artifact store. */
const ANSWERS_A_FILE = /\/actions\/download$/;

interface Call {
  readonly method: DeviceMethod;
  readonly path: string;
  readonly data?: unknown;
}

export const callSpec = z
  .strictObject({
    method: z.enum(METHODS),
    path: z
      .string()
      .describe('The path on the device, from `/api/` on')
      .meta({ examples: ['/api/system/device/status'] }),
    data: z
      .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .optional()
      .describe('`data` of the request body; without secrets'),
    expect: expectation.optional().describe('The expected answer; absent: any success'),
    verify: z.boolean().default(true).describe('Whether to read back a write that the device accepted'),
  })
  .superRefine((call, context) => {
    for (const { at, message } of problemsOf(call)) context.addIssue({ code: 'custom', path: at, message });
  });
export type CallSpec = z.output<typeof callSpec>;

/** Whether a call may change the device, so that it must not be repeated. */
export function changes(call: Call): boolean {
  if (isBulkCall(call)) return itemsOf(call).some(({ method }) => !isReading(method));
  const verdict = devicePath(call.path);
  return !verdict.ok || singleCall(call.method, verdict.path).changes;
}

export function isBulkCall({ path }: Call): boolean {
  const verdict = devicePath(path);
  return verdict.ok && isBulkPath(verdict.path);
}

/** Canonical paths of the items of a bulk request. */
export function itemPaths(call: Call): string[] {
  return itemsOf(call).map(({ endpoint }) => whole(endpoint));
}

/** The acts of a call, for rights. @throws AppError also for calls that `callSpec` refuses */
export function actsOf({ method, path, data }: Call): readonly Act[] {
  const checked = checkPath(path);
  if (!isBulkPath(checked)) return singleCall(method, checked).acts;
  return bulkCall(method, checked, Buffer.from(JSON.stringify({ data }))).call.acts;
}

interface Problem {
  readonly at: string[];
  readonly message: string;
}

function problemsOf(call: Call): Problem[] {
  const problem = problemOfPath(call.path);
  if (problem) return [{ at: ['path'], message: problem }];
  if (call.data === undefined) return [];
  if (JSON.stringify(call.data).length > MAX_DATA_CHARACTERS) {
    return [{ at: ['data'], message: `it is larger than ${MAX_DATA_CHARACTERS} characters` }];
  }
  return isBulkCall(call) ? problemsOfBulk(call) : secretProblems(call.data, call.path, ['data']);
}

function problemOfPath(path: string): string | null {
  const verdict = devicePath(path);
  if (!verdict.ok) return verdict.reason;
  if (touchesSession(verdict.path.authPath)) return 'the gateway logs in and out by itself; its session is shared';
  if (ANSWERS_A_FILE.test(verdict.path.authPath))
    return 'its answer is a file: use the kinds `backup` and `certificates`';
  return hasSecretQuery(path) ? INSTEAD_OF_SECRETS : null;
}

function problemsOfBulk(call: Call): Problem[] {
  const items = readBulk({ data: call.data });
  if (!items) return [{ at: ['data'], message: 'it is not a list of at most 100 { endpoint, method, data }' }];
  return items.flatMap(({ endpoint, data }, index) => {
    const path = whole(endpoint);
    const problem = problemOfPath(path);
    const at = ['data', String(index)];
    if (problem) return [{ at: [...at, 'endpoint'], message: problem }];
    if (isBulkCall({ method: 'POST', path }))
      return [{ at: [...at, 'endpoint'], message: 'it is a bulk request in a bulk request' }];
    return secretProblems(data, path, [...at, 'data']);
  });
}

function secretProblems(data: unknown, path: string, at: readonly string[]): Problem[] {
  return secretsIn(data, path).map((field) => ({ at: [...at, ...field], message: INSTEAD_OF_SECRETS }));
}

function itemsOf({ data }: Call): readonly BulkItem[] {
  return readBulk({ data }) ?? [];
}

function whole(endpoint: string): string {
  return endpoint.startsWith('/api/') ? endpoint : `/api${endpoint}`;
}
