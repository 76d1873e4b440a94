import { z } from 'zod';
import { mayHoldSecrets } from '../device-api/redaction.js';
import { sampleView, samplingView } from '../devices/device-samples.js';
import { selectorText } from '../devices/devices.contract.js';
import { instant } from '../http/endpoint.js';
import { instantText, nameSuchAs, textSuchAs } from '../http/schemas.js';
import { orphaned } from '../recurring/recurring-view.js';
import { EVERY_MAX_S, EVERY_MIN_S, OWN_SESSION_MIN_S, SHARED_SESSION_MAX_S } from './policy-price.js';
import { HISTORY_METRICS } from './samples/sample-history.js';
import { METRICS, pathForRights } from './samples/sample-request.js';

/* Schemas of the routes of monitoring. */

const EXTRA_MAX = 16;

export const everySeconds = z
  .int()
  .min(EVERY_MIN_S)
  .max(EVERY_MAX_S)
  .refine(
    (seconds) => seconds <= SHARED_SESSION_MAX_S || seconds >= OWN_SESSION_MIN_S,
    `${EVERY_MIN_S} to ${SHARED_SESSION_MAX_S}, or at least ${OWN_SESSION_MIN_S}: between them nearly each sample is a login`,
  )
  .describe(
    `Up to ${SHARED_SESSION_MAX_S} the session on the device stays open; from ${OWN_SESSION_MIN_S} on each sample has a login and a logout`,
  );

const extra = z.strictObject({
  path: z
    .string()
    .max(300)
    .regex(/^\/api\/[A-Za-z0-9_/.-]+$/, 'a path such as /api/wireguard/status')
    .refine((path) => !mayHoldSecrets(pathForRights(path)), 'a path whose answer can have no secrets')
    .meta({ examples: ['/api/failover/status'] }),
  pointer: z
    .string()
    .max(300)
    .regex(/^(?:\/[^/]*)*$/, 'a JSON pointer')
    .describe('JSON pointer (RFC 6901) of a number in `data` of the answer')
    .meta({ examples: ['/0/metric'] }),
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, 'lower-case letters, digits and _')
    .meta({ examples: ['uplinks'] }),
  type: z.enum(['gauge', 'counter']),
});

export const policyInput = z
  .strictObject({
    name: nameSuchAs('all routers'),
    selector: selectorText.meta({ examples: ['all'] }),
    everySeconds: everySeconds.default(SHARED_SESSION_MAX_S),
    metrics: z
      .array(z.enum(METRICS))
      .min(1)
      .default([...METRICS])
      .transform((names) => METRICS.filter((metric) => names.includes(metric))),
    extra: z
      .array(extra)
      .max(EXTRA_MAX)
      .default([])
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'names that differ'),
    budgetMb: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe('Of each device and month (UTC): the interval doubles until the samples fit. null: no limit'),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreateMonitoringPolicy' });
export type MonitoringInput = z.output<typeof policyInput>;

export const priceInput = policyInput.omit({ name: true, enabled: true }).meta({ id: 'PriceMonitoringPolicy' });
export type PriceInput = z.output<typeof priceInput>;

const whole = z.number().int();

/** What the prices of policies and of watches have in common: of all devices, and of one of a model. */
export const totalPrice = {
  devices: whole.describe('Devices of the selector that you may read'),
  bytesPerMonth: whole.describe('Of all of them; a month has 30 days'),
  handshakesPerMonth: whole,
  loginsPerDay: whole,
};
export const devicePrice = {
  bytesPerMonth: whole.describe('Of one device'),
  handshakesPerMonth: whole,
  loginsPerDay: whole,
};

export const priceView = z
  .object({
    ...totalPrice,
    models: z.array(
      z.object({
        model: textSuchAs('RUTX50').nullable(),
        devices: whole,
        isMeasured: z.boolean().describe('Whether samples of this model say it; false: a table of recorded answers'),
        bytesPerSample: whole,
        ...devicePrice,
        isOverBudget: z.boolean().describe('Whether its interval will be longer than `everySeconds`'),
      }),
    ),
  })
  .meta({ id: 'MonitoringPrice', description: 'What a policy alone costs; the login-free status check is not in it' });
export type PriceView = z.input<typeof priceView>;

const policy = z.object({
  id: z.uuid(),
  name: z.string(),
  selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
  everySeconds: whole,
  metrics: z.array(z.enum(METRICS)),
  extra: z.array(extra.extend({ path: z.string(), pointer: z.string(), name: z.string() })),
  budgetMb: whole.nullable(),
  enabled: z.boolean(),
  orphaned,
  lastError: z.string().nullable().describe('Why it names no devices now'),
  devices: whole.describe('Devices that it samples, of those that you may read'),
  slowedDevices: whole.describe('Those of them whose interval is longer, for a budget'),
  createdByName: z.string(),
  createdAt: instant,
});

export const policyView = policy
  .extend({ price: priceView.nullable().describe('null: the selector cannot be read') })
  .meta({ id: 'MonitoringPolicy' });

export const policyList = z
  .object({ items: z.array(policy.meta({ id: 'ListedMonitoringPolicy' })) })
  .meta({ id: 'MonitoringPolicyList' });

export const sampledView = z
  .object({
    sample: sampleView.nullable().describe('null: there is none yet'),
    sampling: samplingView.nullable().describe('null: no policy names the device'),
    loginsToday: whole.describe('Logins of the gateway since midnight (UTC)'),
  })
  .meta({ id: 'SampledDevice' });

const POINTS_MAX = 600;

export const historyQuery = z.strictObject({
  metric: z.enum(HISTORY_METRICS),
  from: instantText.optional().describe('Not before this instant; absent: a day before `to`'),
  to: instantText.optional().describe('Before this instant; absent: now'),
  points: z.coerce.number().int().min(1).max(POINTS_MAX).default(300).describe('At most so many'),
});
export type HistoryQuery = z.output<typeof historyQuery>;

export const historyView = z
  .object({
    metric: z.enum(HISTORY_METRICS),
    from: instant,
    to: instant,
    stepSeconds: whole.describe('How long a point is'),
    keptDays: whole.describe('Days before today (UTC) whose samples are kept'),
    points: z
      .array(z.object({ at: instant.describe('Its begin'), min: z.number(), mean: z.number(), max: z.number() }))
      .describe('In the order of time; a time without a value has no point'),
  })
  .meta({ id: 'DeviceSampleHistory' });
