import { type CommandSpec } from '../operations/api-command.js';
import { systemTables } from './shown.js';

/* The gateway itself: its audit, its events, its keys and its health. */

const ID = '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';

export const AUDIT: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'audit_list',
    columns: 'openedAt action outcome actorName subject reason id',
    examples: [
      'fleetgate audit list --since 7d --limit 20',
      'fleetgate audit list --action device.call_write -o ndjson',
    ],
  },
  { words: 'show <entry>', operation: 'audit_get', examples: [`fleetgate audit show ${ID}`] },
  {
    words: 'follow',
    operation: 'auditlog_stream',
    columns: 'at type action actor subject outcome',
    examples: ['fleetgate audit follow -o ndjson'],
  },
];

export const WEBHOOKS: readonly CommandSpec[] = [
  {
    words: 'list',
    operation: 'webhooks_list',
    columns: 'name url types enabled createdByName id',
    examples: ['fleetgate webhook list'],
  },
  { words: 'show <webhook>', operation: 'webhooks_get', examples: ['fleetgate webhook show pager'] },
  {
    words: 'add <name>',
    operation: 'webhooks_create',
    alias: { to: 'url' },
    examples: ['fleetgate webhook add pager --to https://example.org/hook --types job.ended,device.offline'],
  },
  {
    words: 'replace <webhook>',
    operation: 'webhooks_replace',
    alias: { to: 'url' },
    examples: ['fleetgate webhook replace pager -f hook.yaml'],
  },
  {
    words: 'remove <webhook>',
    operation: 'webhooks_remove',
    consent: 'yes',
    examples: ['fleetgate webhook remove pager --yes'],
  },
  {
    words: 'test <webhook>',
    operation: 'webhooks_test',
    succeeds: 'accepted',
    examples: [`fleetgate webhook test ${ID}`],
  },
  {
    words: 'deliveries <webhook>',
    operation: 'webhooks_deliveries',
    columns: 'type state attempts status error createdAt id',
    examples: ['fleetgate webhook deliveries pager'],
  },
  {
    words: 'replay <webhook> <delivery>',
    operation: 'webhooks_replay',
    examples: [`fleetgate webhook replay pager ${ID}`],
  },
];

export const SYSTEM: readonly CommandSpec[] = [
  {
    words: 'show',
    operation: 'system_read',
    shown: systemTables,
    examples: ['fleetgate system show', 'fleetgate system show -o json --fields version,warnings'],
  },
  {
    words: 'settings',
    operation: 'system_settings',
    columns: 'name value source hidden',
    examples: ['fleetgate system settings', 'fleetgate system settings -o json'],
  },
  { words: 'ready', operation: 'health_ready', examples: ['fleetgate system ready'] },
  { words: 'live', operation: 'health_live', examples: ['fleetgate system live'] },
  { words: 'metrics', operation: 'metrics_read', examples: ['fleetgate system metrics'] },
  { words: 'keys', operation: 'secrets_status', examples: ['fleetgate system keys'] },
  {
    words: 'rotate-keys',
    operation: 'secrets_start',
    consent: 'yes',
    examples: ['fleetgate system rotate-keys --what data_key --yes'],
  },
];

export const SELF: readonly CommandSpec[] = [
  { words: 'show', operation: 'auth_self', examples: ['fleetgate self show'] },
  {
    words: 'sessions',
    operation: 'signin_listOwn',
    columns: 'way madeAt lastSeenAt lastSeenAddress endsAt current id',
    examples: ['fleetgate self sessions'],
  },
  {
    words: 'end-session <session>',
    operation: 'signin_revokeOwn',
    consent: 'yes',
    examples: [`fleetgate self end-session ${ID} --yes`],
  },
];

/** How a person gets in for the first time. */
export const SETUP: CommandSpec = {
  words: 'setup <operator-name>',
  operation: 'auth_setup',
  anonymous: true,
  examples: ['fleetgate setup ada', 'fleetgate setup ada --token-file token.txt -o json --fields apiKey.key'],
};

export const ACCEPT_INVITATION: CommandSpec = {
  words: 'accept-invitation',
  operation: 'signin_accept',
  anonymous: true,
  examples: ['fleetgate accept-invitation'],
};
