import { z } from 'zod';

/*
 * The scope of an API key: the key may do what both its operator's rights and its scope allow. It is stored as data;
 * `rights.service.ts` compiles it.
 */

/** Allowed paths of the device's API, in the device's grammar of access lists. */
const deviceAccess = z
  .strictObject({
    api: z.record(
      z
        .string()
        .regex(/^\/[\w/*-]{0,200}$/, 'must be a path of the device, such as /wireguard/*')
        .describe('A path of the device without /api; * at its end means everything below'),
      z.array(z.enum(['read', 'write'])).max(2),
    ),
  })
  .meta({ id: 'DeviceAccess' });

export const keyScope = z
  .strictObject({
    permissions: z
      .array(z.string().regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/, 'must be a permission, noun.* or *'))
      .min(1)
      .max(100)
      .optional()
      .describe('Patterns of permissions; absent: all permissions of the operator'),
    selector: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Which devices; absent: all devices of the operator; docs/reference/selectors.md has the grammar'),
    devices: deviceAccess.optional().describe('What on these devices; absent: everything that the operator may do'),
    stepUp: z
      .boolean()
      .optional()
      .describe('Whether the key may do actions that need a second factor; set by a person who has just shown one'),
  })
  .meta({ id: 'KeyScope' });
export type KeyScope = z.output<typeof keyScope>;

/** Whether a scope restricts anything; one that only allows step-up actions does not. */
export function narrows({ permissions, selector, devices }: KeyScope): boolean {
  return permissions !== undefined || selector !== undefined || devices !== undefined;
}
