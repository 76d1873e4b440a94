import { ApiError, type components, ConnectionError } from '../api-client/api-client.js';
import { fieldName, unmarked, wordsOf } from '../api-client/problem-words.js';
import { CommandFailure, EXIT, exitCodeOf, UsageError, type ExitCode } from './exit-codes.js';
import { printable } from './output/text.js';

/* Errors as people read them: what happened, which field, what to do, and with which id to look further. */

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof ApiError) return exitCodeOf(error.status);
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof Error && fileSentence(error as NodeJS.ErrnoException) !== null ? EXIT.usage : EXIT.error;
}

/** The lines of an error, without characters that could move a cursor. */
export function sentencesOf(error: unknown): string[] {
  if (isForeign(error)) return FOREIGN;
  if (error instanceof ApiError) return apiLines(error).map(printable);
  if (error instanceof ConnectionError) return connectionLines(error).map(printable);
  if (error instanceof Error) return [`Error: ${printable(systemSentence(error) ?? error.message)}`];
  return [`Error: ${printable(String(error))}`];
}

/** Whether a server answered with success and what is no answer of a gateway: a page, or no JSON. */
const isForeign = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof ApiError && error.code === 'unexpected_answer' && error.status < 400);

/** What a server that is no gateway is told to be. */
const FOREIGN = [
  'Error: The answer is not that of a Fleetgate gateway',
  'Check the address: --url, FLEETGATE_URL, or fleetgate profile list',
];

function apiLines(error: ApiError): string[] {
  const { code, pointers, requestId, problem } = error;
  const { title, detail, command } = wordsOf(error, 'cli');
  return [
    `Error: ${title} (${code})`,
    ...lineErrorTexts(problem['errors']),
    ...pointers.map(({ pointer, detail: text }) => `  ${fieldName(pointer)}: ${fieldText(pointer, unmarked(text))}`),
    ...[detail, command].filter((line) => line !== null),
    ...(requestId === null ? [] : [`Request ${requestId}`]),
  ];
}

/** The list in which the ids of a field are found. An import and an operation have none: their answer says the id. */
export const ID_LISTS: Readonly<Record<string, string>> = {
  alertId: 'alert list',
  approvalId: 'approval list',
  artifact: 'artifact list',
  artifactId: 'artifact list',
  deliveryId: 'webhook deliveries <webhook>',
  deviceId: 'device list -o wide',
  discoveryId: 'discover list',
  entryId: 'audit list',
  fanOutId: 'fan-outs list',
  ignoredId: 'template ignored <template>',
  job: 'job list',
  jobId: 'job list',
  keyId: 'key list',
  lockId: 'lock list',
  monitoringPolicyId: 'monitoring list',
  muteId: 'mute list',
  operator: 'operator list',
  operatorId: 'operator list',
  policyId: 'backup-policy list',
  rolloutId: 'rollout list',
  rule: 'rule list',
  ruleId: 'rule list',
  scheduleId: 'schedule list',
  sealedPassword: 'sealed-value list',
  sealedValue: 'sealed-value list',
  sessionId: 'session list',
  valueId: 'sealed-value list',
  webhookId: 'webhook list',
};

/** What is wrong with a field; of an id, what one looks like, and which list has it. */
function fieldText(pointer: string, text: string): string {
  if (!text.startsWith('must be an id such as ')) return text;
  const list = ID_LISTS[pointer.split('/').at(-1) ?? ''];
  const where = list === undefined ? '' : `; fleetgate ${list} shows them`;
  return `an id is such as 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4${where}`;
}

/** Names of the system for a certificate that it does not trust. */
const UNTRUSTED = /CERT|SIGNATURE|ALTNAME|ISSUER|SELF_SIGNED/;

/** Whether the certificate of a server is not trusted; a self-signed one is the usual reason. */
export const isUntrusted = ({ systemCode }: ConnectionError): boolean => UNTRUSTED.test(systemCode ?? '');

function connectionLines(error: ConnectionError): string[] {
  const { message, reason, systemCode } = error;
  if (isUntrusted(error))
    return [
      `Error: The certificate of the gateway is ${/SELF_SIGNED/.test(systemCode ?? '') ? 'self-signed, or of a CA of your own' : 'not trusted'} (${systemCode})`,
      'Trust it: set NODE_EXTRA_CA_CERTS to the file of that certificate or CA; fleetgate doctor says more',
    ];
  const remedy =
    reason === 'timeout'
      ? 'Wait longer with --timeout <seconds>, or look at the gateway with fleetgate doctor'
      : 'Start the gateway, or give its address with --url or FLEETGATE_URL; fleetgate doctor says more';
  return [`Error: ${message}`, remedy];
}

/** What is wrong with a line of an imported file. */
type LineError = components['schemas']['FleetImport']['errors'][number];

/** Lines that are shown; a file can have thousands of wrong ones. */
const LINES_MAX = 20;

/** The texts of the wrong lines of an import; none for errors of another kind. */
export function lineErrorTexts(errors: unknown): string[] {
  const lines = Array.isArray(errors)
    ? errors.filter((one: Partial<LineError> | null) => typeof one?.line === 'number')
    : [];
  const texts = (lines as LineError[])
    .slice(0, LINES_MAX)
    .map(
      ({ line, field, code, detail }) => `  line ${line}${field ? `, ${field}` : ''}: ${unmarked(detail)} (${code})`,
    );
  return lines.length > LINES_MAX ? [...texts, `  and ${lines.length - LINES_MAX} more lines`] : texts;
}

/** What the system says about files and connections, in words that tell what to do. */
function systemSentence({ code, path }: NodeJS.ErrnoException): string | null {
  return code === 'ECONNRESET'
    ? 'The gateway broke off its answer: try again, or look at it with fleetgate doctor'
    : fileSentence({ code, path });
}

/** What is wrong with a file that the person named; null: it is no error of one. */
function fileSentence({ code, path }: Pick<NodeJS.ErrnoException, 'code' | 'path'>): string | null {
  if (code === 'EISDIR') return `${path ?? 'The file'} is a folder: name a file in it`;
  if (path === undefined) return null;
  if (code === 'ENOENT') return `There is no file ${path}`;
  if (code === 'EEXIST') return `${path} already exists: choose another name`;
  if (code === 'EACCES') return `This user may not read or write ${path}`;
  return null;
}
