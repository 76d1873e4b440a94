import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { permissionsOf } from './permissions.js';

/** The longest selector of a rule; rules are checked on every request. */
const SELECTOR_MAX = 4_096;

export const roleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,62}$/, 'a word of lower-case letters, digits, - and _')
  .describe('The name of the role')
  .meta({ examples: ['field-engineer'] });

const selector = z
  .string()
  .min(1)
  .max(SELECTOR_MAX)
  .nullable()
  .default(null)
  .describe('Which devices; null: all. A saved selector (@name) is not allowed: a right must be complete in itself');

const deviceAcl = z
  .strictObject({
    api: z
      .record(
        z
          .string()
          .max(200)
          .regex(
            /^(\*|\/(api\/)?\*|(\/(?!\.+(?:\/|$))[A-Za-z0-9._~-]+)+(\/\*)?)$/,
            'a path such as /wireguard/config, or /wireguard/* for all below it',
          )
          .describe('A path on the device, with or without /api'),
        z
          .array(z.enum(['read', 'write']))
          .min(1)
          .max(2),
      )
      .refine((patterns) => Object.keys(patterns).length <= 100, 'at most 100 patterns'),
  })
  .describe('An access list in the device’s own form; it applies only to calls')
  .meta({ id: 'DeviceAcl' });

const rule = z
  .strictObject({
    effect: z.enum(['allow', 'deny']).describe('A rule that denies has priority over all that allow'),
    permissions: z
      .array(
        z
          .string()
          .max(60)
          .meta({ examples: ['job.read'] })
          .refine(
            (pattern) => permissionsOf(pattern).length > 0,
            'a permission, `noun.*` or `*`; docs/reference/rights.md lists them',
          ),
      )
      .min(1)
      .max(50),
    selector,
    devices: deviceAcl.nullable().default(null),
  })
  .meta({ id: 'Rule' });

export const roleInput = z
  .strictObject({ description: z.string().max(500).default(''), rules: z.array(rule).max(100) })
  .meta({ id: 'SaveRole' });
export type RoleInput = z.output<typeof roleInput>;

export const roleView = z
  .object({
    name: z.string(),
    builtIn: z.boolean(),
    description: z.string(),
    rules: z.array(z.unknown()).describe('As they were saved'),
    version: z.number().int(),
    updatedAt: instant,
  })
  .meta({ id: 'Role' });

export const roleList = z.object({ items: z.array(roleView) }).meta({ id: 'RoleList' });

const assignment = z.strictObject({ role: roleName, selector }).meta({ id: 'RoleAssignment' });

export const assignmentsInput = z.strictObject({ roles: z.array(assignment).max(50) }).meta({ id: 'SetOperatorRoles' });
export type AssignmentsInput = z.output<typeof assignmentsInput>;

export const assignmentsView = z
  .object({ roles: z.array(z.object({ role: z.string(), selector: z.string().nullable() })) })
  .meta({ id: 'OperatorRoles' });

const ref = z.object({
  layer: z.enum(['operator', 'key']).describe('`key`: the scope of the key narrows the rights of its operator'),
  role: z.string(),
  rule: z.number().int().describe('Position in its role, from 1'),
  effect: z.enum(['allow', 'deny']),
  permissions: z.array(z.string()),
  selectors: z.array(z.string()),
  paths: z.unknown(),
});

export const explainQuery = z.strictObject({
  operator: z.uuid().optional().describe('Whose rights; absent: your own, with the scope of the key of this request'),
  withRole: z
    .string()
    .max(63)
    .optional()
    .describe('As if the operator had this role, too, without the scope of a key. Needs `role.read`'),
  withSelector: z.string().max(16_000).optional().describe('Narrows that role, as in an assignment'),
  action: z
    .string()
    .max(60)
    .optional()
    .describe('A permission; absent: `device.call_read` or `device.call_write`, by `method`'),
  device: z.string().max(140).optional().describe('Its id, name:…, serial:… or mac:…'),
  method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: z.string().max(2_000).optional().describe('A path on the device, such as /api/wireguard/config'),
});
export type ExplainQuery = z.output<typeof explainQuery>;

export const explainView = z
  .object({
    allowed: z.boolean(),
    inPart: z.boolean().describe('Asked without a device: whether it holds for some devices or paths, and not for all'),
    permission: z.string(),
    because: z.string().describe('In words'),
    rules: z.array(ref).describe('The rules that decided'),
  })
  .meta({ id: 'RightExplained' });
