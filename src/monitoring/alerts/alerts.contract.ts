import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { nameSuchAs, textSuchAs } from '../../http/schemas.js';
import { orphaned } from '../../recurring/recurring-view.js';
import { deviceRef } from '../../selectors/device-ref.js';
import { MEASURE_NAMES } from '../../selectors/measures.js';
import { SEVERITIES } from './alert-rule.entity.js';

/* Schemas of the routes of alerts. */

const WEEK_S = 7 * 86_400;
const NOTE_MAX = 2_000;

const seconds = z.int().min(0).max(WEEK_S);

const condition = z.strictObject({
  selector: selectorText.meta({ examples: ['rsrp<-110'] }),
  forSeconds: seconds.default(300).describe('A device that matches for so long has an open alert'),
  clearAfterSeconds: seconds.default(300).describe('An alert whose condition is over for so long closes'),
  clearSelector: selectorText
    .nullable()
    .default(null)
    .describe('What a device that no longer matches must meet, too, before its condition is over')
    .meta({ examples: ['rsrp>-105'] }),
});

export const ruleInput = z
  .strictObject({
    name: nameSuchAs('weak signal'),
    ...condition.shape,
    severity: z.enum(SEVERITIES).default('warning'),
    note: z.string().max(NOTE_MAX).default('').describe('What to do, for who reads an alert'),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreateAlertRule' });
export type RuleInput = z.output<typeof ruleInput>;

export const ruleView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    selector: z.string().nullable().describe('null: it names devices, and you may see only some devices'),
    forSeconds: z.number().int(),
    clearAfterSeconds: z.number().int(),
    clearSelector: z.string().nullable(),
    severity: z.enum(SEVERITIES),
    note: textSuchAs('Look at the antenna'),
    enabled: z.boolean(),
    orphaned,
    lastError: z.string().nullable().describe('Why it judges no devices now'),
    judgedAt: instant.nullable().describe('When it judged devices last; null: not yet'),
    open: z.number().int().describe('Open alerts of devices that you may see'),
    createdByName: z.string(),
    createdAt: instant,
  })
  .meta({ id: 'AlertRule' });

export const tryInput = condition.meta({ id: 'TryAlertRule' });
export type TryInput = z.output<typeof tryInput>;

const triedDevice = z.object({
  deviceId: z.uuid(),
  deviceName: z.string(),
  opened: z.number().int(),
  lastOpenedAt: instant,
});
export type TriedDevice = z.input<typeof triedDevice>;

export const triedView = z
  .object({
    from: instant,
    to: instant,
    opened: z.number().int().describe('Alerts that would have opened'),
    devices: z.number().int().describe('On so many devices'),
    steps: z.array(z.number().int()).describe('Of them those of each six hours, the first from `from` on'),
    items: z.array(triedDevice).describe('The devices with the most alerts, at most 20'),
  })
  .meta({ id: 'TriedAlertRule' });

export const ruleList = z.object({ items: z.array(ruleView) }).meta({ id: 'AlertRuleList' });

const STATES = ['pending', 'open', 'closed'] as const;

export const alertQuery = z.strictObject({
  ...pageQuery.shape,
  state: z.enum([...STATES, 'all']).default('open'),
  rule: z.uuid().optional(),
  severity: z.enum(SEVERITIES).optional(),
  selector: selectorText.optional().describe('Only of devices of this selector'),
  device: deviceRef.optional().describe('Only of this device'),
});
export type AlertQuery = z.output<typeof alertQuery>;

export const acknowledgeInput = z
  .strictObject({
    note: z
      .string()
      .trim()
      .max(NOTE_MAX)
      .default('')
      .meta({ examples: ['A technician is on the way'] }),
  })
  .meta({ id: 'AcknowledgeAlert' });
export type AcknowledgeInput = z.output<typeof acknowledgeInput>;

export const alertView = z
  .object({
    id: z.uuid(),
    state: z.enum(STATES),
    severity: z.enum(SEVERITIES),
    ruleId: z.uuid(),
    ruleName: z.string(),
    ruleNote: textSuchAs('Look at the antenna'),
    deviceId: z.uuid(),
    deviceName: z.string(),
    matchedAt: instant.describe('Since when the device meets the rule'),
    openedAt: instant.nullable(),
    clearedAt: instant.nullable().describe('Since when it no longer does'),
    closedAt: instant.nullable(),
    acknowledgedAt: instant.nullable(),
    acknowledgedByName: z.string().nullable(),
    acknowledgement: z.string().nullable().describe('What they wrote'),
    stateReason: z.string().nullable().describe('Why the device has its state now'),
    values: z
      .array(z.object({ name: z.enum(MEASURE_NAMES), value: z.number() }))
      .describe('What its rule compares, as it is now; times in seconds; without values that you may not read'),
  })
  .meta({ id: 'Alert' });
export type AlertView = z.input<typeof alertView>;

export const alertPage = pageOf(alertView).meta({ id: 'AlertPage' });
