/*
 * The words of each error that needs words of its own, for the command line and for the console; `problem-words.ts` reads them.
 */

/**
 * Texts with facts: `{limit}` is a fact. Where the fact is missing, `[at most {limit}|a few]` is `a few`, and a text without such
 * brackets is not said.
 */
export interface Words {
  readonly title?: string;
  /** In the console, where it is another one. */
  readonly consoleTitle?: string;
  /** What to do in either tool; then what to do in this one. */
  readonly text?: string;
  readonly cli?: string;
  readonly console?: string;
}

const REPEATED = {
  text: 'Another try may do it twice.',
  cli: 'See what was done: fleetgate audit list --request-id {firstRequestId}',
  console: 'See what was done: search the audit for request {firstRequestId}.',
};
const OTHER_RELEASE = {
  cli: 'Compare fleetgate --version with the gateway: fleetgate system show',
  console: 'Reload the page: the gateway may be of another version now.',
};
const SIGNED_IN_ONLY = { cli: 'Do it in the console: fleetgate open', console: 'Sign in, and try again.' };
const LIFT_BY_ROLE = 'First give them other roles';
const FAN_OUT_SHOWN = {
  cli: 'See its outcomes: fleetgate fan-outs show <fan-out>',
  console: 'Its outcomes stay on its screen.',
};
const ASKED_AGAIN = 'Look at the state of the devices first.';

export const WORDS: Readonly<Record<string, Words>> = {
  // Audit
  audit_archive_unreadable: {
    text: '[Put {fileName} back into the folder of the archive|Put the file back into the folder of the archive], then verify the audit.',
  },
  // Requests
  invalid_input: { text: 'Correct it, and try again.' },
  invalid_json: { text: 'Correct the JSON, and send it again.' },
  invalid_cursor: { text: 'Read the list again from its start.' },
  malformed_request: { text: 'A proxy on the way sends what is not HTTP/1.1: check its configuration.' },
  address_too_long: {
    text: 'Shorten the selector or the filters, or save the selector under a name.',
    cli: 'Save it: fleetgate selector save <name> --selector <selector>',
  },
  body_too_large: { text: 'Send [at most {limitBytes}|less at once].' },
  unsupported_media_type: { text: 'Send one of these types: {supported}.' },
  route_not_found: {
    text: '[The request came with {prefix} before its address: the proxy in front must take it off, or PUBLIC_URL of the gateway must have it.]',
    ...OTHER_RELEASE,
  },
  method_not_allowed: OTHER_RELEASE,
  version_changed: {
    cli: 'Read it again, then repeat the command.',
    console: 'What you typed is still here. Send it again: the console looks first what is there now.',
  },
  change_reason_required: {
    text: 'The gateway is set to ask for one, for example a ticket number.',
    cli: 'Give it with --reason <text>',
    console: 'Use the command line or the API for this change.',
  },
  idempotency_key_required: { title: 'A request that writes to many devices needs a key of its own', ...OTHER_RELEASE },
  idempotency_key_running: { title: 'The same request has not ended', ...REPEATED, text: 'Wait until it ends.' },
  idempotency_key_reused: { title: 'Another request had the key of this one', text: 'Try again.' },
  idempotency_outcome_unknown: { title: 'The same request failed before, and may have been executed', ...REPEATED },
  idempotency_answer_withheld: { title: 'Your rights changed after the request was executed' },
  rate_limited: { text: 'Wait [{retryAfterSeconds} s|a little]. A call counts once for each device.' },

  mail_not_confirmed: {
    cli: 'Ask them for the code in the mail: fleetgate webhook confirm <webhook> --code <code>',
    console: 'Ask them for the code in the mail, and enter it.',
  },
  mail_code_refused: {
    text: 'A code holds for a day and five tries.',
    cli: 'Send another one: fleetgate webhook send-code <webhook>',
    console: 'Send another one.',
  },
  mail_not_set_up: { text: 'SMTP_URL and SMTP_FROM are missing in the settings of the gateway.' },

  // Sign-in
  unauthenticated: {
    title: 'You are not signed in, or your key is not valid',
    cli: 'Sign in: fleetgate login',
    console: 'Sign in again.',
  },
  second_factor_required: { text: "Give the authenticator's code, or a recovery code." },
  totp_not_found: { cli: 'Set one up in the console: fleetgate open', console: 'Set one up under Account.' },
  step_up_required: {
    cli: 'Use a key that may do it: fleetgate key issue-own <name> --set scope.stepUp=true',
    console: 'Show a code of your authenticator; set one up under Account if you have none.',
  },
  session_required: SIGNED_IN_ONLY,
  session_not_found: { cli: 'See: fleetgate session list', console: 'It may have ended. See Access.' },
  oidc_provider_not_found: { text: 'Start the sign-in again from its page.' },
  key_beyond_own: {
    text: '[Your key ends at {expiresAt}. ][It works from {allowedAddresses}. ][It may send {callsPerMinute} calls a minute. ]Stay within it, or sign in to issue the key.',
  },

  // Rights
  forbidden: {
    title: 'You need {permission}[ on {device}][ for {path}][: {reason}]',
    consoleTitle: 'You need “{may}”[ on {device}][ for {path}][: {reason}]',
    text: 'Ask an administrator for it.',
    cli: 'Which rule decides: fleetgate device explain --action {permission}[ --device {device}]',
  },
  rights_not_held: {
    title: 'You cannot give {permission}, which you do not hold',
    consoleTitle: 'You cannot give “{may}”, which you do not hold',
    text: 'Give less, or ask an operator that holds it for all these devices and paths.',
  },
  starter_may_not: {
    title: '{startedBy} started this work, and no longer has {permission}',
    consoleTitle: '{startedBy} started this work, and no longer has “{may}”',
    text: 'Ask an operator that has it on this device to start it.',
  },
  author_may_not: {
    title: 'The author of the rollout no longer has {permission} on each of its devices',
    consoleTitle: 'The author of the rollout no longer has “{may}” on each of its devices',
    text: 'Create the rollout in your own name, or give its author that permission.',
  },
  role_in_use: {
    cli: `${LIFT_BY_ROLE}: fleetgate operator assign <operator> -f roles.yaml`,
    console: `${LIFT_BY_ROLE}, under Access.`,
  },
  locked: {
    title: 'Locked by {by}: {reason}',
    consoleTitle: '[{frozen}|Locked] by {by}[, {since}]: {reason}',
    text: '[It ends at {until}.|It has no end.]',
    cli: 'Lift it: fleetgate lock lift {lock}',
  },
  approval_required: {
    title: 'A request for [{devices} devices|so many devices] needs the approval of a second person',
    cli: 'Have it approved (fleetgate approval approve {approvalId}), then repeat the command with --approval {approvalId}',
    console: 'Another person approves it. Then send the same request again.',
  },
  approval_own: {
    cli: 'Ask another holder of approval.decide: fleetgate operator list',
    console: 'Ask another person who may “approve and reject requests of others”.',
  },
  approval_over: {
    title: 'The approval is [{state}|decided, used or expired]',
    text: 'Send the request again to ask for a new one.',
  },

  // Devices
  device_not_found: {
    text: '[Did you mean {nearest}?|You may not see it, or it was removed.]',
    cli: 'See: fleetgate device list',
    console: 'See Devices.',
  },
  device_exists: {
    title: 'Another device already has this {field}',
    text: 'Choose another one, or change the other device.',
  },
  device_has_no_credentials: {
    cli: 'Set them: fleetgate device credentials <device> --username <name>',
    console: 'Set the login of the device.',
  },
  field_in_use: {
    title: '[{devices} devices|Devices] have values of this field that the new definition does not allow',
  },
  selection_changed: {
    title: 'The selector no longer names the devices that you saw[: there are {matched} now]',
    text: 'Look at them again, and repeat it.',
  },
  import_not_found: { text: 'The gateway forgets an import after 7 days, and shows it to its sender alone.' },
  import_ended: { cli: 'See its result: fleetgate import show <import>', console: 'Its result is shown.' },
  import_refused: {
    text: 'Correct these lines, or import the others alone.',
    cli: 'Import the others: fleetgate device import <file> --on-error skip',
  },
  discovery_ended: { cli: 'See its result: fleetgate discover show <search>', console: 'Its result is shown.' },
  find_is_no_device: {
    text: 'If you are sure that it is one, add it yourself.',
    cli: 'Add it: fleetgate device add <name> --base-url <url>',
  },
  answer_withheld: {
    text: '[The device answered with status {deviceStatus}, which shows whether a write took effect.]',
    cli: 'Ask for the permission device.read_secrets: fleetgate role list',
    console: 'Ask for the permission “see answers of devices with their secrets, and download backups”.',
  },
  own_account: {
    text: 'That job sets the new password, proves it with a login and stores it.',
    cli: 'Start it: fleetgate job start <device> credentials',
    console: 'Start it at the device.',
  },
  fan_out_ended: FAN_OUT_SHOWN,
  fan_out_unknown_write: {
    text: ASKED_AGAIN,
    cli: 'Then write again: fleetgate fan-outs retry <fan-out> --outcomes unknown --repeat-unknown',
    console: 'Then leave them out, or choose to write again.',
  },
  fan_out_complete: {
    text: 'Devices that may have executed the write need your consent to write again.',
    cli: 'See their outcomes: fleetgate fan-outs show <fan-out>',
  },
  device_trust_changed: {
    text: '[It was {pinned}. ][It is {offered}. ]Compare it on the device.',
    cli: 'If the hardware was replaced, replace the device (fleetgate device replace <device>); otherwise accept its key: fleetgate device trust <device> --mode pin --pin [{offered}|<pin>]',
    console:
      'If the hardware was replaced, choose Replace hardware at the device; otherwise accept its key there, under Certificates.',
  },
  identity_mismatch: {
    title: 'Another device answers at this address[: serial number {serial}][, not {expectedSerial}]',
    text: 'Correct the base URL, or put the new hardware in the place of the old one.',
    cli: 'If it was replaced: fleetgate device replace <device>[ --serial {serial}]',
  },
  device_credentials_refused: {
    text: 'The gateway does not retry refused ones.',
    cli: 'Correct them: fleetgate device credentials <device> --username <name>',
    console: 'Correct the login of the device.',
  },
  device_login_failed: {
    text: '[The device says: {deviceErrors}. Look at its account on the device itself.|Try again in a moment.]',
  },
  device_answer_invalid: { text: 'Read the same path[, {path},] of the device to see the answer.' },
  device_refused: { text: '[It says: {deviceErrors}.|It does not say why.]' },

  // Work
  quarantined: {
    text: 'Look at the logs of the processes. Then start it again, resume the rollout, or enable it again.',
  },
  too_many_sealed_values: {
    text: 'Remove those that no job needs.',
    cli: 'See: fleetgate sealed-value list',
  },
  difference_not_found: {
    text: 'A section that the device has not, or has twice, a secret, and what is no text have no value to take.',
    cli: 'The items of the draft: fleetgate template show <template>',
  },
  adoption_impossible: {
    text:
      '[{path} was not read on {device}. Devices that were not read at all paths: {unread}. Let a watch read them.]' +
      '[Nothing is left to say; left out, each with its reason: {leftOut}.]' +
      '[Devices that you may read there: {devices}. Name 1 to 50 of them.]',
    cli: 'What it would do: add --dry-run. Read now: fleetgate watch run <watch>',
  },
  template_overlaps: {
    title: '[{template} and {other} both decide {option} of {path}|Another template decides the same]',
    text: '[Devices that both reach: {devices}. ]Leave it out of one of them, or choose other devices.',
    cli: 'See: fleetgate template plan <template>',
  },
  artifact_in_use: {
    text: '[Jobs: {jobs}. ][Rollouts: {rollouts}. ][Schedules: {schedules}. ]Wait until they end, or end them and disable the schedules.',
  },
  artifact_digest_mismatch: {
    text: '[Claimed: {claimed}. ][Received: {received}. ]Send the complete file again, or the right digest.',
  },
  artifact_changed: { text: '[Expected: {expectedSha256}. ][Found: {foundSha256}. ]Start again with the right one.' },
  backup_unreadable: {
    text: 'Use another one.',
    cli: 'Which devices need one: fleetgate backup coverage',
    console: 'Backups shows which devices need one.',
  },
  rollout_wrong_state: {
    title: 'This is not possible while it is {state}',
    text: '[It is possible when it is one of: {possibleIn}.|Read its present state first.]',
  },
  rollout_has_no_way_back: { text: '[These kinds can: {kinds}. ]For others start a rollout that does the opposite.' },
  rollout_is_empty: {
    text: 'The plan says for each device why it is left out.',
    cli: 'See it: fleetgate rollout plan -f <file>',
  },
  rollout_too_large: {
    title: 'The selector names [{devices} devices, ]more than [the {limit} that ]one rollout can have',
  },

  // The gateway
  database_unavailable: {
    text: 'Try again shortly. Nothing was sent to a device. After a change, look first whether it was made.',
  },
  took_too_long: {
    text: 'Narrow the selector, the filters or the time span, and try again. After a change, look first whether it was made.',
  },
};

/** A refusal of a device that does nothing else until a person has set a new password on it. */
export const DEMANDED: Words = {
  title: 'The device does nothing else now: {demand}',
  text: 'Set a new password on the device itself, then store it at the gateway.',
  cli: 'Store it: fleetgate device credentials <device> --username <name>',
  console: 'Correct the login of the device.',
};

/** Where people find what `GET` of a path lists: a command, and a screen of the console. */
export const LISTS: Readonly<Record<string, readonly [command: string, screen: string]>> = {
  '/v1/api-keys': ['key list', 'Access'],
  '/v1/approvals': ['approval list', 'Access'],
  '/v1/artifacts': ['artifact list', 'Firmware and files'],
  '/v1/audit': ['audit list', 'Audit'],
  '/v1/audit/log': ['audit checkpoint', 'Audit'],
  '/v1/backups/policies': ['backup-policy list', 'Backups'],
  '/v1/discovery': ['discover list', 'Devices'],
  '/v1/discovery/{discoveryId}/found': ['discover found <search>', 'Devices'],
  '/v1/fan-outs': ['fan-outs list', 'Bulk query'],
  '/v1/fan-outs/{fanOutId}': ['fan-outs show <fan-out>', 'Bulk query'],
  '/v1/fields': ['field list', 'Devices'],
  '/v1/jobs': ['job list', 'Jobs'],
  '/v1/locks': ['lock list', 'Access'],
  '/v1/monitoring/alerts': ['alert list', 'Monitoring'],
  '/v1/monitoring/mutes': ['mute list', 'Monitoring'],
  '/v1/monitoring/policies': ['monitoring list', 'Monitoring'],
  '/v1/monitoring/rules': ['rule list', 'Monitoring'],
  '/v1/observed': ['observed groups --path <path>', 'Configuration'],
  '/v1/operators': ['operator list', 'Access'],
  '/v1/roles': ['role list', 'Access'],
  '/v1/rollouts': ['rollout list', 'Rollouts'],
  '/v1/rollouts/{rolloutId}': ['rollout show <rollout>', 'Rollouts'],
  '/v1/rollouts/{rolloutId}/devices': ['rollout devices <rollout>', 'Rollouts'],
  '/v1/schedules': ['schedule list', 'Schedules'],
  '/v1/sealed-values': ['sealed-value list', 'Jobs'],
  '/v1/secrets/rotation': ['system keys', 'System'],
  '/v1/selectors': ['selector list', 'Devices'],
  '/v1/templates': ['template list', 'Templates'],
  '/v1/templates/{templateName}/ignored': ['template ignored <template>', 'Templates'],
  '/v1/templates/{templateName}/versions': ['template versions <template>', 'Templates'],
  '/v1/watches': ['watch list', 'Configuration'],
  '/v1/webhooks': ['webhook list', 'System'],
  '/v1/webhooks/{webhookId}/deliveries': ['webhook deliveries <webhook>', 'System'],
};
