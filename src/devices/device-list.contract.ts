import { z } from 'zod';
import { infoOf, PERMISSION_NAMES } from '../auth/rights/permissions.js';
import { instant } from '../http/endpoint.js';
import { pageOf, pageQuery } from '../http/page.js';
import { textSuchAs } from '../http/schemas.js';
import { deviceView, selectorText, tag } from './devices.contract.js';
import { AVAILABILITY_POINTS } from './registry/device-availability.js';
import { DEVICE_SORTS } from './registry/device-order.js';
import { isSummaryField, SUMMARY_FIELDS, SUMMARY_VALUES_MAX } from './registry/device-summary.js';
import { SELECTOR_LENGTH_MAX } from '../selectors/selector.js';

/* The list of devices, with its order, search, count and fields; their summary; and the preview of a bulk action. */

/** A page can begin so far down at most; each row before it is read and dropped. */
const OFFSET_MAX = 200_000;

/** The most words of a search; each is a scan of the text of a device. */
const WORDS_MAX = 8;

const FIELD_NAMES = deviceView.keyof().options;

const search = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe(
    'Devices with each of these words in name, serial number, MAC, address, model, site, tags or note, in any case',
  )
  .meta({ examples: ['plant-2 pump'] })
  .transform((text) => [...new Set(text.split(/\s+/))])
  .refine((words) => words.length <= WORDS_MAX, `at most ${WORDS_MAX} words`);

const fields = z
  .string()
  .max(500)
  .describe('Names of fields, separated by commas: items have only these and `id`')
  .meta({ examples: ['name,state'] })
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(FIELD_NAMES)));

const selector = z
  .string()
  .max(SELECTOR_LENGTH_MAX)
  .optional()
  .describe(
    'Only devices that this selector names, such as `tag:pump & firmware<7.14`; see docs/reference/selectors.md',
  );

export const listQuery = z.strictObject({
  ...pageQuery.shape,
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(OFFSET_MAX)
    .default(0)
    .describe('Rows to leave out first, for a screen that jumps; a cursor is faster for the next page'),
  selector,
  tag: tag.optional().describe('Only devices with this tag'),
  site: z.string().max(121).optional().describe('Only devices of this site; `vilnius/*` matches all below it'),
  state: z.enum(['new', 'online', 'offline', 'credentials_refused', 'trust_changed']).optional(),
  q: search.optional(),
  sort: z
    .enum(DEVICE_SORTS)
    .default('createdAt')
    .describe('The order; with `-` the opposite one. `firmware` is in the order of its text'),
  count: z
    .enum(['exact', 'estimate'])
    .optional()
    .describe('Also count all devices of the list; `estimate` is faster for large fleets'),
  fields: fields.optional(),
});
export type ListQuery = z.output<typeof listQuery>;

const devicePart = deviceView
  .partial()
  .required({ id: true })
  .meta({ id: 'DevicePart', description: 'A device of a list with `fields`: the fields that were asked for' });

export const devicePage = pageOf(z.union([deviceView, devicePart]))
  .extend({
    count: z
      .object({ devices: z.number().int(), exact: z.boolean().describe('false: an estimate of the database') })
      .optional()
      .describe('All devices of the list, with `count`'),
  })
  .meta({ id: 'DevicePage' });

export const summaryQuery = z.strictObject({
  selector,
  q: search.optional(),
  by: z
    .string()
    .max(500)
    .default('state')
    .describe(`Fields, separated by commas, at most ten: ${SUMMARY_FIELDS}`)
    .meta({ examples: ['state,model'] })
    .transform((text) => [...new Set(text.split(','))])
    .refine((names) => names.length <= 10 && names.every(isSummaryField), `at most ten of ${SUMMARY_FIELDS}`),
});
export type SummaryQuery = z.output<typeof summaryQuery>;

export const summaryView = z
  .object({
    devices: z.number().int().describe('All devices of the selector that you see'),
    groups: z.array(
      z.object({
        by: textSuchAs('state'),
        values: z
          .array(
            z.object({
              value: z.string().nullable().describe('null: the devices without a value'),
              devices: z.number().int(),
            }),
          )
          .describe(`The most frequent first, at most ${SUMMARY_VALUES_MAX}. A device counts for each of its tags`),
        others: z.number().int().describe('How many further values there are'),
      }),
    ),
  })
  .meta({ id: 'DeviceSummary' });
export type SummaryView = z.input<typeof summaryView>;

export const availabilityQuery = z.strictObject({
  hours: z.coerce.number().int().min(1).max(168).default(24).describe('How far back'),
});
export type AvailabilityQuery = z.output<typeof availabilityQuery>;

export const availabilityView = z
  .object({
    points: z
      .array(
        z.object({
          at: instant,
          devices: z.number().int().describe('Devices that were registered then, and still are'),
          online: z.number().int(),
        }),
      )
      .describe(`${AVAILABILITY_POINTS} instants, the last one is now`),
  })
  .meta({ id: 'DeviceAvailability' });

export const previewInput = z
  .strictObject({
    selector: selectorText.meta({ examples: ['tag:pump'] }),
    permission: z
      .enum(PERMISSION_NAMES.filter((name) => infoOf(name).about === 'device'))
      .default('device.read')
      .describe('What the action needs; devices on which you lack it are excluded'),
  })
  .meta({ id: 'PreviewDevices' });
export type PreviewInput = z.output<typeof previewInput>;

const sample = z.array(z.object({ id: z.uuid(), name: z.string() })).describe('The first ten');

export const previewView = z
  .object({
    matched: z.number().int().describe('Devices of the selector that you see'),
    count: z.number().int().describe('Those of them that the action would take'),
    sample,
    excluded: z
      .array(z.object({ reason: z.string(), count: z.number().int(), sample }))
      .describe('Those that it would leave out, by an error code'),
    digest: z.string().describe('Of all `matched` devices: send it as `expectedDigest` of the action'),
  })
  .meta({ id: 'DevicesPreview' });
export type PreviewView = z.output<typeof previewView>;
