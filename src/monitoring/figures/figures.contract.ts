import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { HISTORY_METRICS } from '../samples/sample-history.js';
import { PROBLEM_NETWORKS_MAX, PROBLEM_ROWS_MAX } from './problem-groups.js';

const count = z.number().int();

export const problemsView = z
  .object({
    groups: z
      .array(
        z.object({
          problem: z.enum(['offline', 'trust_changed', 'credentials_refused', 'no_credentials']),
          reason: z.string().nullable().describe('As the `stateReason` of these devices'),
          site: z.string(),
          devices: count,
          siteDevices: count.describe('All devices at the site that you see'),
          since: instant.describe('Of the first of them'),
          latest: instant.describe('Of the last of them'),
          named: z.array(z.object({ id: z.uuid(), name: z.string() })).describe('Three of them'),
        }),
      )
      .describe(`At most ${PROBLEM_ROWS_MAX}, the largest first`),
    networks: z
      .array(
        z.object({
          network: z.string().meta({ examples: ['192.0.2.0/24'] }),
          reason: z.string().nullable().describe('As the `stateReason` of these devices'),
          devices: count.describe('Offline for this reason; they are in `groups`, too'),
          networkDevices: count.describe('All devices in the network that you see'),
          sites: z.array(z.object({ site: z.string(), devices: count })),
        }),
      )
      .describe(
        `Networks of IPv4 with offline devices at several sites, where these are at least half of all; at most ${PROBLEM_NETWORKS_MAX}`,
      ),
  })
  .meta({ id: 'DeviceProblems' });
export type Problems = z.input<typeof problemsView>;

export const figuresView = z
  .object({
    devices: count.describe('With a sample of the last two days'),
    signal: z.array(z.object({ signal: z.enum(['excellent', 'good', 'fair', 'weak', 'unknown']), devices: count })),
    operators: z
      .array(z.object({ operator: z.string().nullable(), devices: count, bytes: z.number() }))
      .describe('Mobile data of this month, the most first; ten at most'),
    top: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          bytes: z.number(),
          planMb: z.number().nullable().describe('Its custom field `plan_mb`: the megabytes of a month'),
        }),
      )
      .describe('The devices with the most data of this month; ten at most'),
  })
  .meta({ id: 'FleetFigures' });
export type Figures = z.input<typeof figuresView>;

/** As many rows as a screen shows. */
const SPARKLINES_MAX = 100;

export const sparklinesQuery = z.strictObject({
  metric: z.enum(HISTORY_METRICS),
  ids: z
    .string()
    .max(37 * SPARKLINES_MAX)
    .meta({ examples: ['0192d1c0-0000-7000-8000-000000000001'] })
    .describe(`Ids of devices, separated by commas, at most ${SPARKLINES_MAX}`)
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(z.uuid()).max(SPARKLINES_MAX)),
});
export type SparklinesQuery = z.output<typeof sparklinesQuery>;

export const sparklinesView = z
  .object({
    metric: z.enum(HISTORY_METRICS),
    items: z
      .array(z.object({ id: z.uuid(), points: z.array(z.number().nullable()) }))
      .describe(
        'The mean of each hour of the last 24, the oldest first; null: no sample. Without devices that you may not read',
      ),
  })
  .meta({ id: 'Sparklines' });
