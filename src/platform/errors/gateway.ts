import { type ErrorInfo } from './error-info.js';

/** Errors of the gateway itself: database, disk, keys, audit, webhooks. */
export const GATEWAY_ERRORS = {
  internal_error: {
    status: 500,
    retryable: true,
    title: 'The gateway had an internal error',
    advice: 'Try again. If it fails again, find `requestId` in the log of the gateway.',
  },
  database_unavailable: {
    status: 503,
    retryable: true,
    title: 'The gateway cannot reach the database',
    advice:
      'Try again shortly. Nothing was sent to a device. The same Idempotency-Key shows whether anything else may have been done.',
  },
  took_too_long: {
    status: 503,
    retryable: true,
    title: 'The database did not finish in time',
    advice:
      'Narrow the selector, the filters or the time span, then try again. `limitMs` is the limit of a read. For a change, the ' +
      'same Idempotency-Key shows whether it may have been done.',
  },
  disk_full: {
    status: 507,
    retryable: true,
    title: 'A disk of the gateway, or of its database, is full',
    advice: 'Free space for DATA_DIR, the audit archive and the database, then try again. Reads still work.',
  },
  shutting_down: {
    status: 503,
    retryable: true,
    title: 'The gateway is shutting down',
    advice: 'Try again; another replica or the next start answers.',
  },
  secret_unreadable: {
    status: 500,
    title: 'A stored secret cannot be decrypted',
    advice: 'Store the secret again. Its sealed value was altered or moved, or its root key is missing.',
  },
  rotation_running: {
    status: 409,
    retryable: true,
    title: 'A key rotation is already running',
    advice: 'Wait until it ends. GET /v1/secrets/rotation shows its progress.',
  },
  rotation_needless: {
    status: 409,
    title: 'There is no other root key to rotate to',
    advice: 'First give all processes the new key beside the old one. docs/howto/replace-keys.md shows how.',
  },
  rotation_unready: {
    status: 409,
    retryable: true,
    title: 'A running process does not have the new root key',
    advice: 'Start every process with both keys. The gateway waits 30 seconds for a process that has ended.',
  },
  audit_busy: {
    status: 409,
    retryable: true,
    title: 'Too many verifications or exports of the audit are already running',
    advice: 'Wait until one ends. Each process runs one of each for an operator, and three of each in all.',
  },
  audit_tile_not_found: {
    status: 404,
    title: 'The audit log has no such tile, or has not signed it yet',
    advice: 'Read the checkpoint first: only full tiles below its size, and the one that is not full, are there.',
  },
  audit_archive_unreadable: {
    status: 503,
    title: 'The file of an archived part of the audit is not there, or was changed',
    advice:
      'Put the file named in `fileName` back into the folder of the archive (AUDIT_ARCHIVE_DIR), then run an audit verify.',
  },
  audit_entry_too_long: {
    status: 422,
    title: 'An entry of this part of the audit is longer than the format of tiles allows',
    advice: 'Its hash is in the tiles. POST /v1/audit/export has its line.',
  },
  audit_entry_not_found: {
    status: 404,
    title: 'There is no such audit entry',
    advice: 'GET /v1/audit lists them.',
  },
  checkpoint_not_found: {
    status: 404,
    title: 'The audit log has no checkpoint of this size, or no longer has these leaves',
    advice: 'Ask with the sizes of signed checkpoints. GET /v1/audit/log has the last one.',
  },
  webhook_not_found: {
    status: 404,
    title: 'There is no such webhook',
    advice: 'GET /v1/webhooks lists them.',
  },
  webhook_delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    advice: 'GET /v1/webhooks/{webhookId}/deliveries lists those of one week.',
  },
  webhook_exists: {
    status: 409,
    title: 'There is already a webhook with this name',
    advice: 'Choose another name, or change that webhook with PUT.',
  },
  webhook_address_refused: {
    status: 422,
    title: 'A webhook cannot have this address',
    advice: 'Give an address outside of the gateway itself. `reason` says what was refused.',
  },
  mail_not_set_up: {
    status: 422,
    title: 'The gateway has no mail server',
    advice: 'Set SMTP_URL and SMTP_FROM on all processes (docs/reference/config.md).',
  },
  mail_not_confirmed: {
    status: 409,
    title: 'The owner of the mail address has not confirmed it',
    advice: 'POST /v1/webhooks/{webhookId}/confirm with the code that they got. POST …/code sends another one.',
  },
  mail_code_refused: {
    status: 422,
    title: 'This is not the code of the mail address, or it has expired',
    advice: 'A code holds for a day and five tries. POST /v1/webhooks/{webhookId}/code sends another one.',
  },
  mail_code_too_early: {
    status: 429,
    retryable: true,
    title: 'A code was sent to this address a moment ago, or fifty to all addresses in a day',
    advice:
      'Wait five minutes: an address gets one code in that time, for all webhooks together. After fifty codes, wait until tomorrow.',
  },
  webhook_needs_no_code: {
    status: 409,
    title: 'This webhook has no mail address that waits for a confirmation',
    advice: 'Only format mail has one, and a confirmed address stays confirmed.',
  },
} as const satisfies Record<string, ErrorInfo>;
