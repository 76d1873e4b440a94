import { EXAMPLE_ID, type CommandSpecs } from '../operations/api-command.js';
import { systemTables } from './shown.js';

/* The gateway itself: its audit, its events, its keys and its health. */

export const AUDIT: CommandSpecs = {
  list: {
    operation: 'audit_list',
    columns: 'openedAt action outcome actorName subject reason id',
    examples: ['--since 7d --limit 20', '--action device.call_write -o ndjson'],
  },
  'show <entry>': { operation: 'audit_get' },
  follow: { operation: 'auditlog_stream', columns: 'at type action actor subject outcome', examples: ['-o ndjson'] },
};

export const WEBHOOKS: CommandSpecs = {
  list: { operation: 'webhooks_list', columns: 'name url format types enabled confirmedAt createdByName id' },
  'show <webhook>': { operation: 'webhooks_get' },
  'add <name>': {
    operation: 'webhooks_create',
    alias: { to: 'url' },
    examples: [
      'pager --to https://example.org/hook --types job.ended,device.offline',
      'chat --to https://chat.example/hook --format slack --types rule.notified',
      'ada --to mailto:ada@example.com --format mail --types rule.notified',
    ],
  },
  'replace <webhook>': { operation: 'webhooks_replace', alias: { to: 'url' }, examples: ['pager -f hook.yaml'] },
  'remove <webhook>': { operation: 'webhooks_remove', consent: 'yes' },
  'test <webhook>': { operation: 'webhooks_test', succeeds: 'accepted', examples: [EXAMPLE_ID] },
  'confirm <webhook>': { operation: 'webhooks_confirm', examples: ["ada --code '1234 5678'"] },
  'send-code <webhook>': { operation: 'webhooks_sendCode', succeeds: 'accepted', examples: ['ada'] },
  'deliveries <webhook>': {
    operation: 'webhooks_deliveries',
    columns: 'type state attempts status error createdAt id',
  },
  'replay <webhook> <delivery>': { operation: 'webhooks_replay' },
};

export const SYSTEM: CommandSpecs = {
  show: { operation: 'system_read', shown: systemTables, examples: ['', '-o json --fields version,warnings'] },
  settings: { operation: 'system_settings', columns: 'name value source hidden', examples: ['', '-o json'] },
  ready: { operation: 'health_ready' },
  live: { operation: 'health_live' },
  metrics: { operation: 'metrics_read' },
  keys: { operation: 'secrets_status' },
  'rotate-keys': { operation: 'secrets_start', consent: 'yes', examples: ['--what data_key --yes'] },
};

export const SELF: CommandSpecs = {
  show: { operation: 'auth_self' },
  sessions: { operation: 'signin_listOwn', columns: 'way madeAt lastSeenAt lastSeenAddress endsAt current id' },
  'end-session <session>': { operation: 'signin_revokeOwn', consent: 'yes' },
};

/** How a person gets in for the first time. */
export const SETUP: CommandSpecs = {
  'setup <operator-name>': {
    operation: 'auth_setup',
    anonymous: true,
    examples: ['ada', 'ada --token-file token.txt -o json --fields apiKey.key'],
  },
};

export const ACCEPT_INVITATION: CommandSpecs = {
  'accept-invitation': { operation: 'signin_accept', anonymous: true },
};
