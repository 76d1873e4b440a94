import { z } from 'zod';
import { instant } from '../../http/endpoint.js';
import { nameSuchAs, textSuchAs } from '../../http/schemas.js';
import { issuedKeyView } from '../rights/keys.contract.js';
import { assignmentsView, roleName } from '../rights/roles.contract.js';

const name = nameSuchAs('Ada');

export const setupInput = z
  .strictObject({
    token: z.string().min(1).max(200).describe('The token printed at the start'),
    operatorName: name.describe('The name of the first administrator'),
    password: z.string().min(1).max(512).optional().describe('For sign-in; absent: only the API key works'),
  })
  .meta({ id: 'Setup' });
export type SetupInput = z.output<typeof setupInput>;

export const operatorInput = z
  .strictObject({ name, role: roleName.describe('A first role; PUT /v1/operators/{operatorId}/roles gives several') })
  .meta({ id: 'CreateOperator' });
export type OperatorInput = z.output<typeof operatorInput>;

export const operatorChange = z
  .strictObject({ name: name.optional(), disabled: z.boolean().optional() })
  .refine((change) => Object.keys(change).length > 0, 'must change something')
  .meta({ id: 'ChangeOperator', examples: [{ disabled: true }] });
export type OperatorChangeInput = z.output<typeof operatorChange>;

export const operatorView = z
  .object({
    id: z.uuid(),
    name: textSuchAs('Ada'),
    ...assignmentsView.shape,
    createdAt: instant,
    disabledAt: instant.nullable(),
    hasPassword: z.boolean(),
    hasSecondFactor: z.boolean(),
    lastSignInAt: instant
      .nullable()
      .describe('The newest sign-in of the person; null: none since the gateway was set up or restored'),
    providers: z.array(z.string()).describe('OpenID providers linked to this person'),
  })
  .meta({ id: 'Operator' });

export const operatorList = z.object({ items: z.array(operatorView) }).meta({ id: 'OperatorList' });

export const setupStateView = z
  .object({ finished: z.boolean().describe('Whether there is an operator; then the set-up is over') })
  .meta({ id: 'SetupState' });

export const setupView = z.object({ operator: operatorView, apiKey: issuedKeyView }).meta({ id: 'SetupDone' });

export const selfView = z
  .object({
    subject: z.string(),
    name: z.string(),
    operatorId: z.uuid().describe('The person, or the one in whose name the key acts'),
    ...assignmentsView.shape,
    hasPassword: z.boolean(),
    hasSecondFactor: z.boolean(),
    permissions: z
      .array(textSuchAs('device.read'))
      .describe('Permissions held for at least one device; GET /v1/rights/explain says more'),
    selectors: z
      .record(z.string(), z.string().nullable())
      .describe(
        'The devices of each permission that is not held for all devices, as a selector. Null when the text names devices and you do not see all devices',
      )
      .meta({ examples: [{ 'device.manage': 'site:vilnius/*' }] }),
    frozen: z
      .object({ by: z.string(), reason: z.string(), until: instant.nullable() })
      .nullable()
      .describe('The lock of all writes, which stops you, too; null: there is none'),
  })
  .meta({ id: 'Self' });
