/*
 * The errors of the gateway in the words of a person, for the command line and for the console: what happened, with its facts, and
 * what to do in the tool at hand. The gateway's own sentences speak to programs: they name fields, headers and addresses. Where they
 * also suit a person they pass, by the rules below; the other codes have words of their own here. Imports nothing, so that a browser
 * and Node use it alike.
 */

export type Tool = 'cli' | 'console';

/** A refusal as its problem document says it; `ApiError` is one. */
export interface RefusedRequest {
  readonly code: string;
  readonly title: string;
  readonly detail: string | null;
  /** The complete problem document, with the facts of its code. */
  readonly problem: Readonly<Record<string, unknown>>;
}

export interface ProblemWords {
  /** What happened, without a full stop. */
  readonly title: string;
  /** What to do. */
  readonly detail: string | null;
  /** The command that does it, after what it is for; only for the command line. */
  readonly command: string | null;
}

/**
 * Texts with facts: `{limit}` is a fact. Where the fact is missing, `[at most {limit}|a few]` is `a few`, and a text without such
 * brackets is not said.
 */
interface Words {
  readonly title?: string;
  /** What to do in either tool; then what to do in this one. */
  readonly text?: string;
  readonly cli?: string;
  readonly console?: string;
}

type Facts = ReadonlyMap<string, string>;

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
const FAN_OUT_SHOWN = { cli: 'See its outcomes: fleetgate fan-outs show <fan-out>' };
const ASKED_AGAIN = 'Look at the state of the devices first.';

const WORDS: Readonly<Record<string, Words>> = {
  // Requests
  invalid_input: { text: 'Correct it, and try again.' },
  invalid_json: { text: 'Correct the JSON, and send it again.' },
  invalid_cursor: { text: 'Read the list again from its start.' },
  malformed_request: { text: 'A proxy on the way sends what is not HTTP/1.1: check its configuration.' },
  address_too_long: {
    text: 'Shorten the selector or the filters, or save the selector under a name.',
    cli: 'Save it: fleetgate selector save <name> --selector <selector>',
  },
  body_too_large: { text: 'Send at most {limitBytes}.' },
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
    text: 'Ask an administrator for it.',
    cli: 'Which rule decides: fleetgate device explain --action {permission}[ --device {device}]',
    console: 'Access says which rule decides.',
  },
  rights_not_held: {
    title: 'You cannot give {permission}, which you do not hold',
    text: 'Give less, or ask an operator that holds it for all these devices and paths.',
  },
  starter_may_not: {
    title: '{startedBy} started this work, and no longer has {permission}',
    text: 'Ask an operator that has it on this device to start it.',
  },
  author_may_not: {
    title: 'The author of the rollout no longer has {permission} on each of its devices',
    text: 'Create the rollout in your own name, or give its author that permission.',
  },
  role_in_use: {
    cli: `${LIFT_BY_ROLE}: fleetgate operator assign <operator> -f roles.yaml`,
    console: `${LIFT_BY_ROLE}, under Access.`,
  },
  locked: {
    title: 'Locked by {by}: {reason}',
    text: '[It ends at {until}.|It has no end.]',
    cli: 'Lift it: fleetgate lock lift {lock}',
    console: 'Lift it under Access.',
  },
  approval_required: {
    title: 'A request for [{devices} devices|so many devices] needs the approval of a second person',
    cli: 'Have it approved (fleetgate approval approve {approvalId}), then repeat the command with --approval {approvalId}',
    console: 'Another person approves it under Access. Then send the same request again.',
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
  import_ended: { cli: 'See its result: fleetgate import show <import>' },
  import_refused: {
    text: 'Correct these lines, or import the others alone.',
    cli: 'Import the others: fleetgate device import <file> --on-error skip',
  },
  discovery_ended: { cli: 'See its result: fleetgate discover show <search>' },
  find_is_no_device: {
    text: 'If you are sure that it is one, add it yourself.',
    cli: 'Add it: fleetgate device add <name> --base-url <url>',
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
      'If the hardware was replaced, choose Replace hardware at the device; otherwise accept its key there, under Trust.',
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
    text: 'It is possible when it is one of: {possibleIn}.',
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
const DEMANDED: Words = {
  title: 'The device does nothing else now: {demand}',
  text: 'Set a new password on the device itself, then store it at the gateway.',
  cli: 'Store it: fleetgate device credentials <device> --username <name>',
  console: 'Correct the login of the device.',
};

/** Where people find what `GET` of a path lists: a command, and a screen of the console. */
const LISTS: Readonly<Record<string, readonly [command: string, screen: string]>> = {
  '/v1/api-keys': ['key list', 'Access'],
  '/v1/approvals': ['approval list', 'Access'],
  '/v1/artifacts': ['artifact list', 'Firmware and files'],
  '/v1/audit': ['audit list', 'Audit'],
  '/v1/audit/log': ['audit checkpoint', 'Audit'],
  '/v1/backups/policies': ['backup-policy list', 'Backups'],
  '/v1/discovery': ['discover list', 'Devices'],
  '/v1/discovery/{discoveryId}/found': ['discover found <search>', 'Devices'],
  '/v1/fan-outs': ['fan-outs list', 'Fan-out'],
  '/v1/fan-outs/{fanOutId}': ['fan-outs show <fan-out>', 'Fan-out'],
  '/v1/fields': ['field list', 'Devices'],
  '/v1/jobs': ['job list', 'Jobs'],
  '/v1/locks': ['lock list', 'Access'],
  '/v1/operators': ['operator list', 'Access'],
  '/v1/roles': ['role list', 'Access'],
  '/v1/rollouts': ['rollout list', 'Rollouts'],
  '/v1/rollouts/{rolloutId}': ['rollout show <rollout>', 'Rollouts'],
  '/v1/rollouts/{rolloutId}/devices': ['rollout devices <rollout>', 'Rollouts'],
  '/v1/schedules': ['schedule list', 'Schedules'],
  '/v1/sealed-values': ['sealed-value list', 'Jobs'],
  '/v1/secrets/rotation': ['system keys', 'System'],
  '/v1/selectors': ['selector list', 'Devices'],
  '/v1/webhooks': ['webhook list', 'System'],
  '/v1/webhooks/{webhookId}/deliveries': ['webhook deliveries <webhook>', 'System'],
};

/** Texts of the gateway, of people and of devices are shown up to this length. */
const TEXT_MAX = 300;
/** Of a list, such as the jobs that use an artifact. */
const ITEMS_MAX = 10;

/** The words of an error in a tool. */
export function wordsOf({ code, title, detail, problem }: RefusedRequest, tool: Tool): ProblemWords {
  const facts = factsOf(problem);
  const own = facts.has('demand') ? DEMANDED : Object.hasOwn(WORDS, code) ? WORDS[code]! : {};
  const selector = code === 'invalid_selector' ? selectorAdvice(facts) : null;
  const texts = [own.text, tool === 'console' ? own.console : undefined];
  const said = texts.flatMap((text) => filled(text, facts) || []).join(' ');
  const command = tool === 'cli' ? filled(own.cli, facts, quoted) : null;
  const hasOwn = said !== '' || command !== null || (own.text === undefined && (own.cli ?? own.console) !== undefined);
  const passed = hasOwn || selector !== null ? null : passedOn(detail ?? '', facts, tool);
  return {
    title: filled(own.title, facts) ?? titleOf(title, facts),
    detail: (selector ?? (hasOwn ? said : passed?.text)) || null,
    command: command ?? passed?.command ?? null,
  };
}

/** The part of a request that was refused, as people name it: `tags.0` for `/body/tags/0`. */
export function fieldName(pointer: string): string {
  const [, part = '', ...names] = pointer.split('/');
  return names.length === 0 ? `the ${part}` : names.join('.');
}

/** Without the marks of code, which only documents show as such. */
export const unmarked = (text: string): string => text.replaceAll('`', '');

/** The one of `choices` that a person may have meant; null: none is near. */
export function nearestOf(written: string, choices: readonly string[]): string | null {
  const ranked = choices.map((choice) => [distance(written.toLowerCase(), choice.toLowerCase()), choice] as const);
  const [[least, nearest] = [Infinity, null]] = ranked.sort(([a], [b]) => a - b);
  return least <= Math.max(1, Math.floor(written.length / 3)) ? nearest : null;
}

/** Letters to add, remove, change or swap (Levenshtein, with transpositions). */
function distance(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(Math.min(changed, last[j]! + 1, row[j - 1]! + 1, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}

/** Where a selector is wrong, and what was meant. */
function selectorAdvice(facts: Facts): string | null {
  const expected = facts.get('expected');
  if (expected === undefined) return null;
  const near = facts.get('near');
  if (near === undefined) return `${facts.get('position') === '0' ? 'Expected' : 'Expected at its end'}: ${expected}.`;
  const [, field, choices] = CHOICE.exec(expected) ?? [];
  if (field !== undefined) return notOneOf(field, near, choices!);
  if (!expected.startsWith('one of ')) return `At "${near}": expected ${expected}.`;
  return notOneOf('field', near, expected.slice('one of '.length));
}

/** What a field of a selector can be: `state is one of new, online`. */
const CHOICE = /^(state|trust|profile) is one of (.{1,300})$/;

function notOneOf(noun: string, near: string, choices: string): string {
  const written = /^[\w.]{1,40}/.exec(near)?.[0] ?? near;
  const meant = nearestOf(written, choices.split(', '));
  return `At "${written}": no such ${noun}. ${meant === null ? `There are ${choices}.` : `Did you mean "${meant}"?`}`;
}

/** Says why, where a fact does. */
function titleOf(title: string, facts: Facts): string {
  const reason = facts.get('reason') ?? facts.get('why');
  return reason === undefined ? unmarked(title) : `${unmarked(title)}: ${reason}`;
}

const LISTED = /^GET (\/\S{1,80}) (?:lists|shows|has|counts) /;
/** Its value is in the title. */
const REASONED = /^`(?:reason|why)` says/;
const LIMITED = /^`limit` is the (?:largest )?number\.$/;
const BY_ADDRESS = /\b(?:GET|POST|PUT|PATCH|DELETE) \//;

/** The gateway's own advice, where it suits a person: with facts in the place of their names, and without addresses of the API. */
function passedOn(detail: string, facts: Facts, tool: Tool): { text: string; command: string | null } {
  const kept: string[] = [];
  let command: string | null = null;
  for (const sentence of detail.slice(0, 4 * TEXT_MAX).split(/(?<=\.) /)) {
    const list = LISTS[LISTED.exec(sentence)?.[1] ?? ''];
    if (list && tool === 'cli') command ??= `See: fleetgate ${list[0]}`;
    else if (list) kept.push(`See ${list[1]}.`);
    else kept.push(...sentenceOf(sentence, facts));
  }
  return { text: kept.join(' '), command };
}

function sentenceOf(sentence: string, facts: Facts): string[] {
  if (REASONED.test(sentence)) return [];
  if (LIMITED.test(sentence)) return facts.has('limit') ? [`At most ${facts.get('limit')}.`] : [];
  const wait = facts.get('retryAfterSeconds');
  const text = sentence
    .replace('Retry-After seconds', wait === undefined ? 'a few seconds' : `${wait} s`)
    .replace(/ with PUT(?=[ ,.])/, '')
    .replaceAll(/`(\w{1,40})`/g, (marked, name: string) => facts.get(name) ?? marked);
  const isUnclear = /`\w{1,40}`/.test(text) || BY_ADDRESS.test(text);
  return isUnclear ? [] : [unmarked(text)];
}

/** A template with its facts; null when one is missing that it needs. @param write a fact, in a command */
function filled(template: string | undefined, facts: Facts, write = (value: string) => value): string | null {
  let isWhole = template !== undefined;
  const part = (text: string): string | null => {
    let hasAll = true;
    const said = text.replaceAll(/\{(\w{1,40})\}/g, (_all, name: string) => {
      const value = facts.get(name);
      hasAll &&= value !== undefined;
      return value === undefined ? '' : write(value);
    });
    return hasAll ? said : null;
  };
  const parts = (template ?? '').split(/[[\]]/).map((text, at) => {
    if (at % 2 === 1)
      return (
        text
          .split('|')
          .map(part)
          .find((said) => said !== null) ?? ''
      );
    const said = part(text);
    isWhole &&= said !== null;
    return said;
  });
  return isWhole ? parts.join('') : null;
}

/** As a shell takes it. */
const quoted = (value: string): string => (/^[\w.:@/+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** The facts that can be said. */
function factsOf(problem: Readonly<Record<string, unknown>>): Facts {
  const said = Object.entries(problem).map(([name, value]) => [name, factText(name, value)] as const);
  return new Map(said.filter((one): one is [string, string] => one[1] !== ''));
}

const FIELD_WORDS: Readonly<Record<string, string>> = { baseUrl: 'base URL', mac: 'MAC', serial: 'serial number' };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/** A fact as text; empty: there is none. */
function factText(name: string, value: unknown): string {
  if (typeof value === 'number') return name.endsWith('Bytes') ? bytesText(value) : value.toLocaleString('en');
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    const known = name === 'field' ? FIELD_WORDS[value] : undefined;
    return known ?? (TIME.test(value) ? localTime(value) : unmarked(value).slice(0, TEXT_MAX));
  }
  if (!Array.isArray(value)) return '';
  const items = value.map((item: unknown) => factText(name, isDeviceError(item) ? item.error : item)).filter(Boolean);
  const more = items.length > ITEMS_MAX ? [`and ${items.length - ITEMS_MAX} more`] : [];
  return [...items.slice(0, ITEMS_MAX), ...more].join(', ');
}

const isDeviceError = (value: unknown): value is { readonly error: string } =>
  typeof (value as { error?: unknown } | null)?.error === 'string';

/** In the time of the reader: `2026-11-26 16:04`. */
function localTime(time: string): string {
  const at = new Date(time);
  const [month, day, hour, minute] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${at.getFullYear()}-${month}-${day} ${hour}:${minute}`;
}

/** Sizes that are limits are powers of two. */
function bytesText(bytes: number): string {
  const MIB = 1_048_576;
  return bytes >= MIB ? `${Math.round((bytes / MIB) * 10) / 10} MiB` : `${bytes.toLocaleString('en')} bytes`;
}
