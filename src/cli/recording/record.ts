import { open, rm } from 'node:fs/promises';
import { ApiError } from '../../api-client/api-client.js';
import { type Context, type GlobalFlags } from '../context.js';
import { CommandFailure, EXIT } from '../exit-codes.js';
import { requireConsent } from '../input/secret.js';
import { deviceAddress } from '../operations/request.js';
import { RECORDED_PATHS } from './recorded-paths.js';
import { recordingOf, type AnswerRead, type RouterRecording } from './recording.js';
import { fieldNamesOf } from './shape.js';

/* `fleetgate doctor --record`: reads a router, shows what would be written, and writes it when a person agrees. */

export interface RecordFlags extends GlobalFlags {
  readonly record?: true;
  readonly to?: string;
  readonly withModel?: true;
}

/** What is longer is recorded without a body. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** @throws ApiError, ConnectionError where the router cannot be read; UsageError where the person does not agree */
export async function record(context: Context, flags: RecordFlags, device: string): Promise<void> {
  const { to = 'router-recording.json' } = flags;
  // Before the router is asked for anything: a name that is taken is not told after a minute of reading.
  const file = await open(to, 'wx', 0o600);
  try {
    await file.writeFile(await agreedText(context, flags, device, to));
    await file.close();
  } catch (error) {
    await file.close();
    await rm(to, { force: true });
    throw error;
  }
  context.say(`Written to ${to}. docs/howto/record-a-router.md says where to send it`);
}

/** What is to be written, when the person agreed to its names. */
async function agreedText(context: Context, flags: RecordFlags, device: string, to: string): Promise<string> {
  const address = deviceAddress(device);
  const answers: AnswerRead[] = [];
  for (const [at, path] of RECORDED_PATHS.entries()) {
    const answer = await readAnswer(context, `${address}${path}`, path);
    if (answer !== null) answers.push(answer);
    const end =
      answer === null
        ? 'left out: your key may not read it'
        : `${answer.status}, ${Math.round(answer.milliseconds)} ms`;
    context.say(`${at + 1} of ${RECORDED_PATHS.length}  ${path}: ${end}`);
  }
  const refusal = 'Your key may read none of the paths: ask for the permission device.call_read';
  if (answers.length === 0) throw new CommandFailure(EXIT.notPermitted, refusal);
  const recording = recordingOf(answers, flags.withModel ?? false);
  for (const line of reviewOf(recording, context.terminal.columns)) context.say(line);
  const sentence = `These are all names that ${to} would have. Look for one that you chose before you agree.`;
  await requireConsent(sentence, null, flags, context.terminal);
  return `${JSON.stringify(recording, null, 1)}\n`;
}

/** What would be written, for a person to read: each name of a field once. The rest are paths, kinds and numbers. */
function reviewOf({ model, firmware, answers }: RouterRecording, columns: number): string[] {
  const names = [...new Set(answers.flatMap(({ body }) => fieldNamesOf(body)))].sort();
  const lines: string[] = [''];
  for (const name of names) {
    const line = `${lines.at(-1)}${name} `;
    if (line.length <= columns) lines[lines.length - 1] = line;
    else lines.push(`${name} `);
  }
  const product = model === undefined ? [] : [`Model ${model}, firmware ${firmware ?? 'unknown'}.`];
  const count = `${answers.length} answers: their paths, statuses, sizes and times, and kinds such as "text" or "integer" in the place of values.`;
  return ['', ...product, count, `${names.length} names of fields:`, '', ...lines, ''];
}

/** @returns null where the key has no right at the path */
async function readAnswer(context: Context, address: string, path: string): Promise<AnswerRead | null> {
  const began = performance.now();
  try {
    const { status, headers, body } = await context.send('GET', address, { takesErrors: true });
    const text = await textOf(body);
    return { path, status, headers, text, milliseconds: performance.now() - began };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}

async function textOf(body: Response['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
