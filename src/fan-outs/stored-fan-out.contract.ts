import { z } from 'zod';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { textSuchAs } from '../http/schemas.js';
import { OUTCOMES, WHY } from './fan-outs.contract.js';

/* Schemas of the routes of stored fan-outs. */

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const answerDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
  .meta({ examples: [DIGEST] });

const outcome = z.enum(OUTCOMES);
const counts = z.record(outcome, z.number().int());

/** What a device said, or why it said nothing. */
const result = z.object({
  outcome,
  reason: z.string().nullable().describe('An error code, or why it was skipped; null: it succeeded'),
  status: z.number().int().nullable(),
  digest: z
    .string()
    .nullable()
    .describe('SHA-256 of the answer without its secrets; null: none, or it cannot be searched for secrets')
    .meta({ examples: [DIGEST] }),
  bytes: z.number().int().nullable().describe('Size of the answer without its secrets'),
});

const STORED_STATES = ['running', 'ended', 'interrupted'] as const;

const head = z.object({
  id: z.uuid().describe('Also the operation of its writes in the audit'),
  state: z.enum(STORED_STATES).describe('`interrupted`: the gateway stopped or was lost; what it recorded remains'),
  selector: z
    .string()
    .nullable()
    .describe('null: it names devices, and you may see only some devices')
    .meta({ examples: ['tag:pump'] }),
  requests: z
    .array(z.object({ method: textSuchAs('GET'), path: textSuchAs('/api/system/device/status') }))
    .describe('Without bodies'),
  writes: z.boolean(),
  retryOf: z.uuid().nullable().describe('The fan-out whose devices this one called again'),
  stopped: z.string().nullable().describe('Why calls stopped before all devices were called'),
  startedBy: textSuchAs('Ada'),
  startedAt: instant,
  endedAt: instant.nullable(),
});

const storedFanOutItem = head
  .extend({
    devices: z.number().int().nullable().describe('null: you may see only some devices; read the fan-out for those'),
    counts: counts.nullable().describe('null for the same reason'),
  })
  .meta({ id: 'StoredFanOutItem' });

const answerGroup = result.extend({
  devices: z.number().int().describe('Devices with this outcome and this answer'),
  sample: z.object({ id: z.uuid(), name: z.string() }).describe('One of them'),
});

/** The most groups of one answer. */
export const GROUPS_MAX = 50;

export const storedFanOutView = head
  .extend({
    devices: z.number().int().describe('Whose outcomes you may read'),
    forbidden: z.number().int().describe('Further devices that you see, whose answers to these calls you may not read'),
    counts,
    waiting: z.number().int().describe('Devices without an outcome so far'),
    groups: z.array(answerGroup).describe(`Equal answers together, the largest group first; at most ${GROUPS_MAX}`),
    moreGroups: z.number().int().describe('Groups that are left out here'),
  })
  .meta({ id: 'StoredFanOut' });
export type StoredFanOutView = z.input<typeof storedFanOutView>;

export const storedFanOutPage = pageOf(storedFanOutItem);
export const storedFanOutsQuery = pageQuery.extend({
  state: z.enum(STORED_STATES).optional(),
});
export type StoredFanOutsQuery = z.output<typeof storedFanOutsQuery>;

export const fanOutDevicesQuery = pageQuery.extend({
  outcome: outcome.optional(),
  reason: z
    .string()
    .max(100)
    .optional()
    .describe('An error code')
    .meta({ examples: ['device_timeout'] }),
  digest: answerDigest.optional(),
});
export type FanOutDevicesQuery = z.output<typeof fanOutDevicesQuery>;

const fanOutDevice = z
  .object({
    deviceId: z.uuid(),
    name: z.string(),
    ...result.shape,
    deviceCodes: z.array(z.number().int()).describe("The device's own error codes"),
    why: z.string().nullable().describe(WHY),
    ms: z.number().int().nullable(),
  })
  .meta({ id: 'FanOutDevice' });
export type FanOutDevice = z.input<typeof fanOutDevice>;
export const fanOutDevicePage = pageOf(fanOutDevice);

/** The most devices of one grid. */
export const CELLS_MAX = 5_000;

const fanOutCell = z.object({
  deviceId: z.uuid(),
  name: z.string(),
  site: z.string(),
  outcome: outcome.nullable().describe('null: it has no outcome so far'),
});
export type FanOutCell = z.input<typeof fanOutCell>;

export const fanOutGridView = z
  .object({
    cells: z.array(fanOutCell).describe(`By site and name, at most ${CELLS_MAX}`),
    more: z.boolean().describe('Whether devices are left out here'),
  })
  .meta({ id: 'FanOutGrid' });

export const fanOutAnswerView = z
  .object({
    digest: answerDigest,
    bytes: z.number().int(),
    devices: z.number().int().describe('Devices that gave this answer'),
    stored: z.boolean().describe('Whether the gateway stored the body; beyond the limits it stores digest and size'),
    body: z.unknown().describe('The answer without its secrets; null when it is not stored'),
  })
  .meta({ id: 'FanOutAnswer' });

export const fanOutRetryInput = z
  .strictObject({
    outcomes: z
      .array(z.enum(['failed', 'unreachable', 'skipped', 'unknown']))
      .min(1)
      .max(4)
      .default(['failed', 'unreachable'])
      .describe('Devices with these outcomes are called again'),
    repeatUnknown: z
      .boolean()
      .default(false)
      .describe('Whether to write again to devices that may have executed the write'),
  })
  .meta({ id: 'RetryFanOut' });
export type FanOutRetryInput = z.output<typeof fanOutRetryInput>;
