import { z } from 'zod';
import { expectedDigest, selectorText } from '../devices/devices.contract.js';
import { AppError } from '../platform/errors.js';

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
export type FanOutPolicy = z.output<typeof policy>;

export const fanOutInput = z
  .strictObject({
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
    dryRun: z
      .boolean()
      .default(false)
      .describe('List the devices that would be called and those that would be skipped, and call none'),
    stream: z
      .boolean()
      .optional()
      .describe('Send a line for each device as it answers. At /v1/fan-out the default is true, else false'),
    keep: z
      .boolean()
      .optional()
      .describe(
        'Store outcomes and answers: the fan-out has an id, which begins the stream, and continues without its reader. ' +
          'At /v1/fan-out the default is false, else true',
      ),
  })
  .refine(
    ({ request, requests }) => (request === undefined) !== (requests === undefined),
    'give `request` or `requests`',
  )
  .meta({ id: 'FanOut' });

/** What a caller asks for, with the defaults of the address that it used. */
export type FanOutInput = z.output<typeof fanOutInput> & { readonly stream: boolean; readonly keep: boolean };

/** @throws AppError `invalid_input` when the outcomes would be neither streamed nor stored, or a dry run would be stored */
export function withDefaults(body: z.output<typeof fanOutInput>, isStreamed: boolean): FanOutInput {
  const { stream = isStreamed, keep = !isStreamed, dryRun } = body;
  if (dryRun && (keep || !stream))
    throw refused('/keep', 'a dry run is streamed and not stored: `stream` and not `keep`');
  if (isStreamed && !stream) throw refused('/stream', 'this address streams: use /v1/fan-outs');
  if (!keep && !stream) throw refused('/stream', 'what is not stored is streamed: `stream` or `keep`');
  return { ...body, stream, keep };
}

const refused = (pointer: string, detail: string) => new AppError('invalid_input', { errors: [{ pointer, detail }] });

/** The outcomes of a device; every device of the selector has one. */
export const OUTCOMES = ['succeeded', 'failed', 'skipped', 'unreachable', 'unknown'] as const;
export type FanOutOutcome = (typeof OUTCOMES)[number];

/** Of a field of a device that refuses all calls. */
export const WHY = 'In words, where a person must act on the device first, such as at an expired password';

/** No device has any outcome yet. */
export const noCounts = (): Record<FanOutOutcome, number> => ({
  succeeded: 0,
  failed: 0,
  skipped: 0,
  unreachable: 0,
  unknown: 0,
});

const outcomes = z.enum([...OUTCOMES, 'would_call']);

/** One line of a stream. */
export const fanOutLine = z
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
      body: z.unknown().optional().describe('Absent when an earlier line with this digest has it'),
      bodyWithheld: z
        .literal(true)
        .optional()
        .describe('It cannot be shown, or it cannot be searched for secrets that you may not read'),
      deviceCodes: z.array(z.number().int()).optional().describe("The device's own error codes"),
      why: z.string().optional().describe(WHY),
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
    // The end of a repeated answer when the first caller disconnected before the summary.
    z.object({ type: z.literal('broken_off'), reason: z.string() }),
  ])
  .meta({ id: 'FanOutLine' });
export type FanOutLine = z.output<typeof fanOutLine>;
export type ResultLine = Extract<FanOutLine, { type: 'result' }>;
export type SummaryLine = Extract<FanOutLine, { type: 'summary' }>;
