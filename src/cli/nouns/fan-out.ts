import { Option, type Command } from 'commander';
import { type components } from '../../api-client/api-client.js';
import { BODY_FILE, ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { CommandFailure, EXIT, UsageError } from '../exit-codes.js';
import { readDocument } from '../input/document.js';
import { devicePath } from '../operations/request.js';
import { cellOf, type Row } from '../output/cells.js';
import { WorkProgress } from '../output/progress.js';
import { each } from '../output/rows.js';
import { cutTo } from '../output/text.js';
import { previewSelection } from '../selection.js';
import { reasonInWords } from './shown.js';

/* `fleetgate fan-out`: one call to all devices of a selector. */

type Line = components['schemas']['FanOutLine'];
type Input = components['schemas']['FanOut'];

interface FanOutFlags extends GlobalFlags {
  readonly selector?: string;
  readonly file?: string;
  readonly keep?: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export const fanOutCommand = (open: OpenContext): Command =>
  ownCommand<FanOutFlags>(open, {
    words: 'fan-out <method> <path>',
    summary: 'Calls all devices of a selector, and prints their answers as they come',
    examples: [
      'fleetgate fan-out get /system/device/status -l tag:pump',
      'fleetgate fan-out get /firmware/device/status -l tag:pump -o ndjson > firmware.ndjson',
      'fleetgate fan-out put /system/device/config -l tag:pump -f body.json --reason "new time zone"',
    ],
    more: 'The exit code is 3 when some devices failed.',
    changes: 'approved',
    options: [
      new Option('-l, --selector <selector>', 'which devices').makeOptionMandatory(),
      BODY_FILE,
      ['--keep', 'stores the outcomes and answers for some days: fleetgate fan-outs list'],
    ],
    run: fanOut,
  });

async function fanOut(context: Context, flags: FanOutFlags, written = '', path = ''): Promise<void> {
  const method = METHODS.find((one) => one === written.toUpperCase());
  if (!method) throw new UsageError(`The method is one of ${METHODS.join(', ')}`);
  const selector = flags.selector!;
  const json = flags.file === undefined ? undefined : await readDocument(flags.file, context.terminal.stdin);
  const writes = method !== 'GET';
  const preview = writes ? await previewSelection(selector, 'device.call_write', context) : null;
  const input: Input = {
    selector,
    request: { method, path: devicePath(path), ...(json === undefined ? {} : { json }) },
    ...(flags.dryRun ? { dryRun: true } : {}),
    ...(flags.keep ? { keep: true } : {}),
    ...(preview ? { expectedDigest: preview.digest } : {}),
  };
  const headers = {
    ...(flags.reason === undefined ? {} : { 'x-change-reason': flags.reason }),
    ...(flags.approval === undefined ? {} : { 'approval-id': flags.approval }),
  };
  const api = await context.api();
  const lines = api.fanOut(input, { headers, signal: context.interrupted });
  const followed = followLines(lines, preview?.count ?? null, context);
  if (!context.isForPeople) return void (await context.rows(followed, [...COLUMNS, 'body']));
  const answers = new Map<string, Answer>();
  await context.rows(grouped(followed, answers), [...COLUMNS, 'answer']);
  const shown = [...answers.values()].slice(0, ANSWERS_SHOWN);
  if (shown.length === 0) return;
  context.out('');
  await context.rows(each(shown), ['answer', 'devices', 'content']);
  if (shown.length < answers.size)
    context.say(`${answers.size - shown.length} more answers differ: -o ndjson has them all`);
}

const COLUMNS = ['name', 'outcome', 'status', 'reason', 'ms'];

/** Answers that a table shows; thousands of devices can have as many. */
const ANSWERS_SHOWN = 20;
/** Of the digest of an answer, as its name in the table. */
const DIGEST_SHOWN = 8;

/** An answer that devices have in common. */
interface Answer extends Row {
  readonly answer: string;
  readonly content: string;
  devices: number;
}

/** The rows of devices with the name of their answer; what the answers are comes after them. */
async function* grouped(rows: AsyncIterable<Row>, answers: Map<string, Answer>): AsyncGenerator<Row> {
  for await (const { digest, body, bodyWithheld, ...row } of rows) {
    const answer = typeof digest === 'string' ? digest.slice(0, DIGEST_SHOWN) : '';
    const known = answers.get(answer);
    if (known) known.devices++;
    else if (answer !== '') {
      const content = bodyWithheld ? 'withheld' : cutTo(cellOf(body), CONTENT_MAX);
      answers.set(answer, { answer, devices: 1, content });
    }
    yield { ...reasonInWords(row), answer };
  }
}

/** Characters of an answer in a table. */
const CONTENT_MAX = 1_000;

/** The lines of devices; the summary goes to people, and decides the exit code. */
async function* followLines(lines: AsyncIterable<Line>, total: number | null, context: Context): AsyncGenerator<Row> {
  const progress = new WorkProgress('devices', context.terminal);
  let done = 0;
  let failed = 0;
  for await (const line of lines) {
    if (line.type === 'result') {
      done++;
      if (line.outcome !== 'succeeded' && line.outcome !== 'would_call') failed++;
      progress.update({ done, failed, total });
      yield line;
      continue;
    }
    if (line.type === 'started') {
      context.say(`Stored as ${line.fanOutId}: fleetgate fan-outs show ${line.fanOutId}`);
      continue;
    }
    progress.end();
    if (line.type === 'broken_off') throw new CommandFailure(EXIT.error, `The gateway broke off: ${line.reason}`);
    const counts = Object.entries(line.counts)
      .filter(([, count]) => count > 0)
      .map(([outcome, count]) => `${count} ${outcome}`);
    context.say(line.total === 0 ? 'No device matches the selector' : `${line.total} devices: ${counts.join(', ')}`);
  }
  if (failed > 0) context.endWith(EXIT.someFailed);
}
