import { z } from 'zod';
import { canonicalPath } from '../../device-api/contract.js';
import { selectorName, selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { textSuchAs } from '../../http/schemas.js';
import { devicePrice, everySeconds, totalPrice } from '../../monitoring/monitoring.contract.js';
import { orphaned } from '../../recurring/recurring-view.js';

/* Schemas of the routes of watches. */

const PATHS_MAX = 50;

/** Once a day: what a router is set to changes when a person changes it. */
const EVERY_S = 86_400;

export const watchName = selectorName.meta({ examples: ['accounts'] });

const isConfiguration = (path: string): boolean =>
  path === canonicalPath(path) && !/\/(?:status|actions|events_log)(?:\/|$)/.test(path);

const watchedPath = z
  .string()
  .max(300)
  .regex(/^\/api\/[A-Za-z0-9_/.-]+$/, 'a path such as /api/users/config')
  .refine(
    isConfiguration,
    'a path of configuration, without version and slash at its end: a status differs at each read',
  )
  .meta({ examples: ['/api/users/config'] });

export const watchInput = z
  .strictObject({
    name: watchName,
    selector: selectorText.meta({ examples: ['all'] }),
    paths: z
      .array(watchedPath)
      .min(1)
      .max(PATHS_MAX)
      .transform((paths) => [...new Set(paths)].sort()),
    everySeconds: everySeconds.default(EVERY_S),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreateWatch' });
export type WatchInput = z.output<typeof watchInput>;

export const priceInput = watchInput.omit({ name: true, enabled: true }).meta({ id: 'PriceWatch' });
export type WatchPriceInput = z.output<typeof priceInput>;

const whole = z.number().int();

export const priceView = z
  .object({
    ...totalPrice,
    models: z.array(
      z.object({
        model: textSuchAs('RUTX50').nullable(),
        devices: whole,
        isSampled: z
          .boolean()
          .describe('Whether a policy of monitoring keeps a session open, in which the watch reads without a login'),
        isMeasured: z.boolean().describe('Whether each path was read on this model; false: some are estimated'),
        bytesPerPass: whole.describe('Without a login'),
        ...devicePrice,
      }),
    ),
  })
  .meta({ id: 'WatchPrice', description: 'It counts against the budget of the policies that sample the device' });
export type WatchPrice = z.input<typeof priceView>;

const watch = z.object({
  id: z.uuid(),
  name: z.string(),
  selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
  paths: z.array(z.string()),
  everySeconds: whole,
  enabled: z.boolean(),
  orphaned,
  lastError: z.string().nullable().describe('Why it names no devices now'),
  devices: whole.describe('Devices that it reads, of those that you may read'),
  unreadDevices: whole.describe('Those of them that it has not read so far, or not at its last pass'),
  slowedDevices: whole.describe('Those of them whose interval is longer, for a budget'),
  changedDevices: whole.describe(
    'Those of them that had another configuration within its interval, of paths that you may read',
  ),
  lastReadAt: instant.nullable().describe('When it last read one of them; null: not yet'),
  nextReadAt: instant.nullable().describe('When the next of them is due; null: none, or it is disabled'),
  createdByName: z.string(),
  createdAt: instant,
});

export const watchView = watch
  .extend({ price: priceView.nullable().describe('null: the selector cannot be read') })
  .meta({ id: 'Watch' });

export const watchList = z.object({ items: z.array(watch.meta({ id: 'ListedWatch' })) }).meta({ id: 'WatchList' });

export const runInput = z
  .strictObject({ selector: selectorText.default('all').describe('Only these of its devices') })
  .meta({ id: 'RunWatch' });
export type RunInput = z.output<typeof runInput>;

export const runView = z
  .object({ devices: whole.describe('Devices that are read as soon as the load allows, of those that you may read') })
  .meta({ id: 'WatchRun' });
