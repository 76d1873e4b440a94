import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { instantText, textSuchAs } from '../../http/schemas.js';

/* Schemas of the views of what watches have read. */

/** The largest groups; the others are counted. */
export const GROUPS_MAX = 100;

/** Devices of a page of the matrix: each may have hundreds of sections. */
export const MATRIX_DEVICES_MAX = 200;

const OPTIONS_MAX = 50;

const path = z
  .string()
  .max(300)
  .regex(/^\/api\/[A-Za-z0-9_/.-]+$/, 'a path such as /api/users/config')
  .meta({ examples: ['/api/users/config'] });

const selector = selectorText.default('all').describe('Which devices; docs/reference/selectors.md');

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a digest: 64 letters and digits')
  .meta({ examples: ['c5b0e1f6'.repeat(8)] });

const whole = z.number().int();

const error = z
  .string()
  .nullable()
  .describe(
    'Why the last pass has no body: an error code, or `not_there`: the device has no such path. null: it has one',
  );

export const groupsQuery = z.strictObject({ path, selector });
export type GroupsQuery = z.output<typeof groupsQuery>;

export const groupsView = z
  .object({
    path: z.string(),
    devices: whole.describe('Devices that were read, of those on which you may read this path'),
    unread: whole.describe('Devices that no watch has read at this path'),
    groups: z
      .array(
        z.object({
          digest: z.string().nullable().describe('Of equal bodies, without secrets; null: there is none'),
          error,
          devices: whole,
          bytes: whole.nullable(),
          oldestReadAt: instant,
          sample: z.object({ id: z.uuid(), name: z.string() }).describe('One of them: its `observed` has the body'),
        }),
      )
      .describe(`At most ${GROUPS_MAX}, the largest first`),
    moreGroups: whole,
  })
  .meta({ id: 'ObservedGroups' });
export type GroupsView = z.input<typeof groupsView>;

export const comparisonQuery = z.strictObject({ path, one: digest, other: digest });
export type ComparisonQuery = z.output<typeof comparisonQuery>;

const value = z.unknown().optional().describe('Absent: it is not there');

export const comparisonView = z
  .object({
    path: z.string(),
    one: z.string(),
    other: z.string(),
    differences: z.array(
      z.object({
        section: z.string().describe('Its id on the device; empty: the path has one section'),
        option: z.string().nullable().describe('null: only one of the two has the section'),
        one: value,
        other: value,
      }),
    ),
  })
  .meta({ id: 'ObservedComparison' });

export const matrixQuery = z.strictObject({
  path,
  selector,
  options: z
    .string()
    .max(2_000)
    .optional()
    .describe(`Names of options, separated by commas, at most ${OPTIONS_MAX}; absent: all`)
    .meta({ examples: ['username,group'] })
    .transform((text) => (text === undefined ? null : [...new Set(text.split(','))]))
    .refine((names) => names === null || names.length <= OPTIONS_MAX, `at most ${OPTIONS_MAX}`),
  ...pageQuery.shape,
  limit: pageQuery.shape.limit.describe(`Devices per page, at most ${MATRIX_DEVICES_MAX}`),
  format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('`csv` and `ndjson` have all devices'),
});
export type MatrixQuery = z.output<typeof matrixQuery>;

export const matrixRow = z
  .object({
    deviceId: z.uuid(),
    device: textSuchAs('pump-17'),
    site: z.string(),
    section: z.string().describe('Its id on the device; empty: the path has one section'),
    options: z.record(z.string(), z.unknown()),
    readAt: instant,
    changedAt: instant.nullable().describe('When a pass last found another body; null: not since the first one'),
  })
  .meta({ id: 'ObservedSection' });
export type MatrixRow = z.input<typeof matrixRow>;

export const matrixView = pageOf(matrixRow).meta({ id: 'ObservedMatrix' });

export const MATRIX_CSV =
  'device,device_id,site,section,option,value\r\npump-17,0192d1c0-0000-7000-8000-000000000001,,1,group,root\r\n';

export const deviceObservedQuery = z.strictObject({
  path: path.optional().describe('Only this path, with its body'),
  fresh: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Reads the device first, by all its watches'),
});
export type DeviceObservedQuery = z.output<typeof deviceObservedQuery>;

export const deviceObservedView = z
  .object({
    items: z.array(
      z.object({
        path: z.string(),
        digest: z.string().nullable().describe('Of the last body that was read'),
        error,
        readAt: instant.describe('When the last body was read'),
        changedAt: instant.nullable(),
        body: z.unknown().optional().describe('With `path`'),
      }),
    ),
  })
  .meta({ id: 'DeviceObserved' });

export const changesQuery = z.strictObject({ ...pageQuery.shape, path: path.optional() });
export type ChangesQuery = z.output<typeof changesQuery>;

const change = z.object({
  id: z.uuid(),
  deviceId: z.uuid(),
  deviceName: textSuchAs('pump-17'),
  path: z.string(),
  since: instant.describe('The last pass that found the body before'),
  at: instant.describe('The pass that found the new one'),
  options: z.array(z.string()).describe('Names of what differs, as section.option; a section alone came or went'),
  from: z.string().describe('The digest of the body before'),
  to: z.string(),
  auditEntryId: z.uuid().nullable().describe('The write of the gateway that made it; null: not by us'),
});
export type ObservedChange = z.input<typeof change>;

export const changesPage = pageOf(change.meta({ id: 'ObservedChange' })).meta({ id: 'ObservedChangePage' });

export const fleetChangesQuery = z.strictObject({
  ...pageQuery.shape,
  selector,
  path: path.optional(),
  since: instantText.optional().describe('Not before this instant'),
});
export type FleetChangesQuery = z.output<typeof fleetChangesQuery>;
