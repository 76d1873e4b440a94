import { z } from 'zod';
import { expectedDigest, selectorText } from '../devices/devices.contract.js';

/* One call to many devices: what goes in, and the lines that come out. */

const deviceCall = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  path: z
    .string()
    .max(2_000)
    .regex(/^\/api\//, 'begins with /api/')
    .describe('As the device knows it, with its query')
    .meta({ examples: ['/api/system/device/status'] }),
  json: z.unknown().optional().describe('The body, where there is one'),
});

const policy = z.strictObject({
  concurrency: z.number().int().min(1).max(1_000).default(128).describe('Devices called at once'),
  perSite: z.number().int().min(1).max(1_000).default(32).describe('Devices of one site called at once'),
  timeoutMs: z
    .number()
    .int()
    .min(500)
    .max(120_000)
    .default(15_000)
    .describe('Longest wait for one device, login included'),
  stopAfter: z
    .strictObject({
      failures: z.number().int().min(1).optional().describe('This number of devices that did not succeed'),
      percent: z.number().min(0).max(100).optional().describe('Or this percentage of the devices that ended'),
      minimum: z.number().int().min(1).default(10).describe('The percentage applies from this number of ended devices'),
    })
    .optional()
    .describe('When to start no more calls; calls in progress still finish'),
  bodies: z
    .enum(['first', 'all', 'none'])
    .default('first')
    .describe('Which answers are sent with their body: each different one once, all, or none'),
});

const fanOutForm = z.strictObject({
  selector: selectorText.meta({ examples: ['tag:pump'] }),
  request: deviceCall
    .optional()
    .describe('The call')
    .meta({ examples: [{ method: 'GET', path: '/api/system/device/status' }] }),
  requests: z
    .array(deviceCall)
    .min(2)
    .max(100)
    .optional()
    .describe('Or several, sent to each device as one bulk request'),
  policy: policy.default(policy.parse({})),
  expectedDigest: expectedDigest.optional(),
});

const ONE_FORM = 'give `request` or `requests`';
const hasOneForm = ({ request, requests }: Pick<z.output<typeof fanOutForm>, 'request' | 'requests'>) =>
  (request === undefined) !== (requests === undefined);

export const fanOutInput = fanOutForm
  .extend({
    dryRun: z
      .boolean()
      .default(false)
      .describe('List the devices that would be called and those that would be skipped, and call none'),
    keep: z
      .boolean()
      .optional()
      .describe(
        'Store outcomes and answers; the stream begins with the id, and the fan-out continues without its reader',
      ),
  })
  .refine(hasOneForm, ONE_FORM)
  .refine(({ dryRun, keep }) => !dryRun || !keep, 'a dry run is not stored')
  .meta({ id: 'FanOut' });
export type FanOutInput = z.output<typeof fanOutInput>;

/** A fan-out that is stored and answered at once. */
export const storedFanOutInput = fanOutForm.refine(hasOneForm, ONE_FORM).meta({ id: 'StartFanOut' });
export type StoredFanOutInput = z.output<typeof storedFanOutInput>;
export type FanOutPolicy = z.output<typeof policy>;

/** The outcomes of a device; every device of the selector has one. */
export const OUTCOMES = ['succeeded', 'failed', 'skipped', 'unreachable', 'unknown'] as const;
export type FanOutOutcome = (typeof OUTCOMES)[number];

export interface ResultLine {
  readonly type: 'result';
  readonly deviceId: string;
  readonly name: string;
  readonly outcome: FanOutOutcome | 'would_call';
  /** An error code, or why it was skipped; null when it succeeded. */
  readonly reason: string | null;
  readonly status?: number | undefined;
  /** SHA-256 of the answer's body; equal answers have the same. */
  readonly digest?: string | undefined;
  /** The answer; absent when an earlier line with this digest has it. */
  readonly body?: unknown;
  /** The body is withheld: it cannot be redacted for this caller, or not be written. */
  readonly bodyWithheld?: true | undefined;
  /** The device's own error codes. */
  readonly deviceCodes?: readonly number[] | undefined;
  readonly ms?: number | undefined;
}

export interface SummaryLine {
  readonly type: 'summary';
  readonly total: number;
  readonly counts: Readonly<Record<FanOutOutcome | 'would_call', number>>;
  /** The most frequent answers with their number of devices; at most 20. */
  readonly answers: readonly { readonly digest: string; readonly count: number }[];
  /** Why calls stopped: failures, or a stalled reader. */
  readonly stopped: string | null;
  /** Finds the writes of this fan-out in the audit. */
  readonly operationId: string;
  readonly ms: number;
}

/** The end of a repeated answer when the first caller disconnected before the summary. */
interface BrokenOffLine {
  readonly type: 'broken_off';
  readonly reason: string;
}

/** The first line of a stored fan-out; a repeated request with its Idempotency-Key gets this line alone. */
interface StartedLine {
  readonly type: 'started';
  readonly fanOutId: string;
}

export type FanOutLine = StartedLine | ResultLine | SummaryLine | BrokenOffLine;

const outcomes = z.enum([...OUTCOMES, 'would_call']);

/** The lines in the OpenAPI document. */
export const fanOutLine: z.ZodType<FanOutLine> = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('started'), fanOutId: z.uuid().describe('Of a stored fan-out: its first line') }),
    z.object({
      type: z.literal('result'),
      deviceId: z.uuid(),
      name: z.string(),
      outcome: outcomes,
      reason: z.string().nullable().describe('An error code, or why it was skipped'),
      status: z.number().int().optional(),
      digest: z.string().optional().describe('SHA-256 of the body: equal answers have the same digest'),
      body: z.unknown().describe('Absent when an earlier line with this digest has it'),
      bodyWithheld: z
        .literal(true)
        .optional()
        .describe('It cannot be shown, or it cannot be searched for secrets that you may not read'),
      deviceCodes: z.array(z.number().int()).optional().describe("The device's own error codes"),
      ms: z.number().optional(),
    }),
    z.object({
      type: z.literal('summary'),
      total: z.number().int(),
      counts: z.record(outcomes, z.number().int()),
      answers: z.array(z.object({ digest: z.string(), count: z.number().int() })).describe('The most frequent first'),
      stopped: z
        .string()
        .nullable()
        .describe('Why no more calls were started: failures, or a reader that read nothing'),
      operationId: z.uuid().describe('Finds the writes of this fan-out in the audit'),
      ms: z.number(),
    }),
    z.object({ type: z.literal('broken_off'), reason: z.string() }),
  ])
  .meta({ id: 'FanOutLine' });
