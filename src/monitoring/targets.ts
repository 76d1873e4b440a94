import { z } from 'zod';
import { selectorText } from '../devices/devices.contract.js';
import { type ExportedDevice } from '../devices/fleet-files/fleet.queries.js';

/*
 * The registry as Prometheus reads it to find what to scrape (its "HTTP service discovery"): a list of groups, here one for
 * each device. It keeps its last list while an answer is missing or cut. Pure.
 */

/** Columns that can be labels; `device` and `site` always are. */
const COLUMNS = ['model', 'firmware', 'state', 'serial', 'mac'] as const;

/** A custom field, whose label is `field_<key>`. */
const CUSTOM = /^field\.([a-z][a-z0-9_]{0,39})$/;

const isLabel = (name: string): boolean => (COLUMNS as readonly string[]).includes(name) || CUSTOM.test(name);

export const targetsQuery = z.strictObject({
  selector: selectorText.default('all').describe('Which devices; docs/reference/selectors.md'),
  port: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('The port of each target, such as 161 for SNMP; absent: that of the base URL'),
  label: z
    .string()
    .max(500)
    .optional()
    .describe(`Further labels, separated by commas: ${COLUMNS.join(', ')}, field.<key>`)
    .meta({ examples: ['model,firmware'] })
    .transform((text) => (text === undefined ? [] : [...new Set(text.split(','))]))
    .refine((names) => names.length <= 20 && names.every(isLabel), `at most 20 of ${COLUMNS.join(', ')}, field.<key>`),
});
export type TargetsQuery = z.output<typeof targetsQuery>;

const targetGroup = z
  .object({
    targets: z.array(z.string()).describe('host:port'),
    labels: z.record(z.string(), z.string()).describe('`device`, `site` and those that were asked for'),
  })
  .meta({ id: 'TargetGroup' });
export type TargetGroup = z.input<typeof targetGroup>;
export const targetGroups = z.array(targetGroup);

/** What Prometheus learns of a device. A missing value is no label. */
export function targetOf(device: ExportedDevice, { port, label }: Pick<TargetsQuery, 'port' | 'label'>): TargetGroup {
  const { hostname, port: ownPort } = new URL(device.baseUrl);
  const labels: Record<string, string> = { device: device.name, site: device.site };
  for (const name of label) {
    const key = CUSTOM.exec(name)?.[1];
    const value = key === undefined ? device[name as (typeof COLUMNS)[number]] : fieldOf(device, key);
    if (value !== undefined && value !== null) labels[key === undefined ? name : `field_${key}`] = String(value);
  }
  return { targets: [`${hostname}:${port ?? (ownPort === '' ? 443 : ownPort)}`], labels };
}

const fieldOf = ({ fields }: ExportedDevice, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);
