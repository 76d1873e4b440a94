/* What a configuration service is: its options, its sections, and in which versions of the API it exists. */
import { z } from 'zod';

/** Of an option and of a service: versions of the API are 1, 2 and 3 (`SPEC_VERSIONS`). */
const lifetime = {
  /** The first version that has it. */
  since: z.int().min(1).default(1),
  /** The first version in which it is DEPRECATED; `true`: all. */
  deprecated: z.union([z.boolean(), z.int().min(1)]).default(false),
};

const optionRule = z.strictObject({
  type: z
    .enum(['text', 'flag', 'integer', 'port', 'ipv4', 'cidr', 'host', 'mac', 'enum', 'file', 'key'])
    .default('text'),
  /** `either`: devices take one text too. */
  list: z.union([z.boolean(), z.literal('either')]).default(false),
  /** For `enum`. */
  values: z.array(z.string()).optional(),
  /** For `integer` the value, for `text` the length. */
  min: z.number().optional(),
  max: z.number().optional(),
  default: z.union([z.string(), z.array(z.string())]).optional(),
  required: z.boolean().default(false),
  /** No two enabled sections may have the same value: the device cannot apply it (code 115). */
  exclusive: z.boolean().default(false),
  /** On in one section at most: the device turns it off in the others. */
  single: z.boolean().default(false),
  /** The flag that says the opposite; a caller may give either. */
  inverseOf: z.string().optional(),
  /** Never answered: `<option>:set` says that it has a value. `shown`: it is answered beside that. */
  secret: z.union([z.boolean(), z.literal('shown')]).default(false),
  /** Answered as empty text when it is not set; other options are absent then. */
  shownEmpty: z.boolean().default(false),
  /** For `file`: `<option>:file_size` says how large the file is, as a number. */
  saysSize: z.boolean().default(false),
  /** Only the device sets it; a caller may repeat the value. */
  readOnly: z.boolean().default(false),
  /** Made by the device when the section is created. */
  generated: z.enum(['wireguard-private', 'wireguard-public', 'id', 'node']).optional(),
  ...lifetime,
});
export type OptionRule = z.output<typeof optionRule>;

const FEATURES = ['wifi', 'gps', 'modem', 'dualSim', 'dualBand', 'dualModem', 'usb', 'cable', 'esim'] as const;
const feature = z.enum(FEATURES);
export type DeviceFeature = z.output<typeof feature>;

export const serviceDeclaration = z.strictObject({
  /**
   * Between `/api/` and `/config` or `/global`; `{parent}` is the section of another service. A record whose path has a list
   * too says `/global` itself.
   */
  path: z.string().regex(/^[a-z0-9_]+(\/([a-z0-9_]+|\{parent\}))*$/),
  kind: z.enum(['sections', 'record']).default('sections'),
  /** What `.type` says. */
  type: z.string(),
  summary: z.string().default(''),
  /** Whether the caller names a new section, or the device does, or either. */
  ids: z.enum(['given', 'generated', 'either']).default('given'),
  creatable: z.boolean().default(true),
  deletable: z.boolean().default(true),
  /** Sections that cannot be deleted since the device needs them (code 105). */
  permanent: z.array(z.string()).default([]),
  maxSections: z.number().int().positive().default(32),
  /** The feature that a device must have for it; without it the service is not there. */
  needs: feature.optional(),
  /** Query parameters that select the sections with this value of the option. */
  filters: z.array(z.string()).default([]),
  /** The service whose sections these are too. */
  stores: z.string().optional(),
  /** It has one section, and a change may leave out its id. */
  soleSection: z.boolean().default(false),
  /** In the profile `rutos`, deletes answer without `data`. */
  silentDelete: z.boolean().default(false),
  ...lifetime,
  options: z.record(z.string(), optionRule),
  /** Sections of a new device, or of a new parent; `{serial}` and its like in values are the device's own. `needs`: see above. */
  initial: z.array(z.record(z.string(), z.union([z.string(), z.array(z.string())]))).default([]),
});
export type ServiceDeclaration = z.output<typeof serviceDeclaration>;

interface Lifetime {
  readonly since: number;
  readonly deprecated: boolean | number;
}

/** Whether only a later version has it. */
export const isLater = ({ since }: Lifetime, version: number | undefined): boolean =>
  version !== undefined && since > version;

export function isDeprecated({ deprecated }: Lifetime, version: number | undefined): boolean {
  return typeof deprecated === 'boolean' ? deprecated : version !== undefined && deprecated <= version;
}
