import { z } from 'zod';
import { DEVICE_STATES } from '../selectors/selector.js';
import { instant } from '../http/endpoint.js';
import { STAGES } from './check-stages.js';

const count = z.number().int();

export const checkView = z
  .object({
    answered: z.boolean(),
    checkedAt: instant,
    stages: z
      .array(
        z.object({
          stage: z.enum(STAGES),
          outcome: z.enum(['passed', 'failed', 'skipped']),
          ms: count.nullable(),
          detail: z.string().nullable().describe('Why it failed, or was not needed'),
        }),
      )
      .describe('In their order. No login is tried: `login` says what the last calls have shown'),
    state: z.enum(DEVICE_STATES).describe('After the check'),
    stateReason: z.string().nullable(),
  })
  .meta({ id: 'DeviceCheck' });

export const reachabilityView = z
  .object({
    since: instant.nullable().describe('Since when the device has its state; null: since it was registered'),
    seenAt: instant.nullable().describe('The last answer'),
    failedChecks: count.describe('In a row'),
    nextCheckAt: instant.nullable().describe('null: this gateway does not check by itself'),
    neighbours: z
      .array(
        z.object({
          by: z.enum(['site', 'network']),
          name: z.string().describe('The site, or the network as `192.0.2.0/24`'),
          devices: count,
          online: count,
          offline: count,
          others: z
            .array(z.object({ id: z.uuid(), name: z.string() }))
            .describe('Those that are neither, such as with another certificate, where there are one or two'),
        }),
      )
      .describe('The other devices at its site and in the network of its address, as far as you may see them'),
  })
  .meta({ id: 'DeviceReachability' });
