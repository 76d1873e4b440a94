import { createReadStream } from 'node:fs';
import { open as openFile, readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ReadableStream as NodeStream } from 'node:stream/web';
import { Option, type Command } from 'commander';
import { openCheckpoint, splitNotes } from '../../merkle-log/checkpoint.js';
import { ExportCheck } from '../../merkle-log/export-check.js';
import { isConsistent } from '../../merkle-log/merkle.js';
import { parseVerifierKey } from '../../merkle-log/signed-note.js';
import { type ApiClient, type components } from '../../api-client/api-client.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { readInstant } from '../input/instant.js';
import { WorkProgress } from '../output/progress.js';
import { CommandFailure, EXIT, UsageError } from '../exit-codes.js';

/*
 * The audit from outside. `verify` asks the gateway to prove its audit, and does not take its word where it need not: with
 * the file of a witness it checks by itself that what the witness saw is the beginning of what is there now.
 */

type VerifyLine = components['schemas']['AuditVerifyLine'];

interface VerifyFlags extends GlobalFlags {
  readonly witness?: string;
  readonly key?: string;
  readonly export?: string;
}

/** Checkpoints of a witness that are sent with one verification; the newest say the most. */
const WITNESSED_MAX = 1_000;

/** The commands of `fleetgate audit` that are more than one request. */
export function auditCommands(open: OpenContext): Command[] {
  const key = ownCommand(open, {
    words: 'key',
    summary: 'Prints the verifier key of the log; store it apart from the gateway',
    examples: ['fleetgate audit key > audit.vkey'],
    run: async (context) => context.out((await logOf(context)).key),
  });
  const checkpoint = ownCommand(open, {
    words: 'checkpoint',
    summary: 'Prints the last signed checkpoint of the log',
    examples: ['fleetgate audit checkpoint >> /mnt/usb/audit.checkpoints'],
    async run(context) {
      const { checkpoint: note } = await logOf(context);
      if (note === null) throw new CommandFailure(EXIT.notFound, 'The audit log is empty');
      context.out(note);
    },
  });
  const consistency = ownCommand(open, {
    words: 'consistency <from>',
    summary: 'Proves that the log extends its first leaves',
    examples: ['fleetgate audit consistency 1000 -o json'],
    async run(context, _flags, from) {
      const api = await context.api();
      await context.object(await api.get('/v1/audit/consistency', { params: { query: { from: Number(from) } } }));
    },
  });
  return [verifyCommand(open), key, checkpoint, consistency, exportCommand(open)];
}

const logOf = async (context: Context) => (await context.api()).get('/v1/audit/log');

const verifyCommand = (open: OpenContext): Command =>
  ownCommand<VerifyFlags>(open, {
    words: 'verify',
    summary: 'Verifies the complete audit, and names every wrong row',
    examples: [
      'fleetgate audit verify',
      'fleetgate audit verify --witness /mnt/worm/audit.checkpoints --key "$(cat audit.vkey)"',
      'fleetgate audit verify --export march.ndjson --key "$(cat audit.vkey)"',
    ],
    more: 'The exit code is 0 when the audit is correct, 9 when it is not, and 1 when it could not be verified.',
    options: [
      ['--witness <file>', 'a file of checkpoints of a witness: detects a roll-back of the complete database'],
      ['--key <verifier key>', 'the key of the log, from a source outside the gateway'],
      ['--export <file>', 'verifies an export instead, without the gateway; needs --key'],
    ],
    run: (context, flags) => (flags.export === undefined ? verifyLog(context, flags) : verifyExport(context, flags)),
  });

interface ExportFlags extends GlobalFlags {
  readonly to: string;
  readonly since?: string;
  readonly until?: string;
  readonly selector?: string;
  readonly actor?: string;
  readonly action?: string;
}

const exportCommand = (open: OpenContext): Command =>
  ownCommand<ExportFlags>(open, {
    words: 'export',
    summary: 'Writes entries with their proof into a file',
    examples: [
      'fleetgate audit export --to march.ndjson --since 2026-03-01T00:00:00Z --until 2026-04-01T00:00:00Z',
      'docs/verify-export.sh march.ndjson "$(cat audit.vkey)"',
    ],
    options: [
      new Option('--to <file>', 'where to write; it must not exist').makeOptionMandatory(),
      ['--since <instant>', 'not before; such as 7d for 7 days ago, or 2026-11-26'],
      ['--until <instant>', 'before'],
      ['-l, --selector <selector>', 'only of these devices'],
      ['--actor <actor>', 'only of this actor'],
      ['--action <action>', 'only this action; `device.*` matches all actions of a noun'],
    ],
    run: exportTo,
  });

async function exportTo(context: Context, flags: ExportFlags): Promise<void> {
  const { to, selector, actor, action } = flags;
  const [since, until] = (['since', 'until'] as const).map((name) => {
    const written = flags[name];
    return written === undefined ? undefined : readInstant(`--${name}`, written, -1, Date.now());
  });
  const given = Object.entries({ since, until, selector, actor, action }).filter(([, value]) => value !== undefined);
  // Before anything is asked for: the gateway makes one export at a time.
  const file = await openFile(to, 'wx', 0o600);
  try {
    const answer = await (
      await context.api()
    ).request('POST', '/v1/audit/export', {
      json: Object.fromEntries(given),
      signal: context.interrupted,
    });
    await pipeline(Readable.fromWeb(answer.body as NodeStream), file.createWriteStream());
  } catch (error) {
    await file.close();
    await rm(to, { force: true });
    throw error;
  }
  const rows = await countRows(to);
  const none = rows === 0 ? '; nothing was found: check --since and --until' : '';
  context.say(`${counted(rows, 'row')} of the audit, with their proof, are in ${to}${none}`);
}

/** Lines of an export that are rows, and not its checkpoint or its proof. */
async function countRows(file: string): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.startsWith('{"proof":')) lines++;
  }
  return Math.max(0, lines - 1); // the first is the checkpoint
}

const wantsJson = (format: GlobalFlags['output']): boolean => format === 'json' || format === 'ndjson';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function verifyLog(context: Context, { witness, key, output }: VerifyFlags): Promise<void> {
  const json = wantsJson(output);
  const api = await context.api();
  const notes = witness === undefined ? [] : splitNotes(await readFile(witness, 'utf8'));
  const witnessed = notes.slice(-WITNESSED_MAX);
  const doubts = witnessed.length === 0 ? null : await compareWithWitness(api, witnessed.at(-1)!, key);
  if (doubts !== null) {
    context.endWith(EXIT.auditIncorrect);
    context.out(json ? JSON.stringify({ type: 'finding', kind: 'not_consistent', what: doubts }) : `FOUND  ${doubts}`);
  }
  const input = { witnessed, ...(key === undefined ? {} : { key }) };
  const progress = new WorkProgress('leaves', context.terminal);
  let hasEnded = false;
  for await (const line of api.lines('post', '/v1/audit/verify', { body: input })) {
    if (json) context.out(JSON.stringify(line));
    else if (line.type === 'finding') context.out(findingText(line));
    else if (line.type === 'summary') context.out(summaryText(line));
    else progress.update({ done: line.leaves, failed: 0, total: line.of });
    if (line.type !== 'summary') continue;
    progress.end();
    hasEnded = true;
    if (!line.holds) context.endWith(EXIT.auditIncorrect);
  }
  if (!hasEnded) throw new Error('The verification ended early');
}

/** Checks here, and not in the gateway, that the last checkpoint of a witness is the beginning of the log as it is now. */
async function compareWithWitness(
  api: ApiClient,
  note: string,
  expectedKey: string | undefined,
): Promise<string | null> {
  const log = await api.get('/v1/audit/log');
  const key = parseVerifierKey(expectedKey ?? log.key);
  if (!key) throw new UsageError('The verifier key is not valid');
  const seen = openCheckpoint(note, key);
  if (!seen) return 'The last checkpoint of the witness is not signed with the key of this log';
  if (seen.size > log.size) return `The witness saw ${seen.size} leaves, and the log was signed at ${log.size}`;
  const answer = await api.get('/v1/audit/consistency', { params: { query: { from: seen.size } } });
  const now = openCheckpoint(answer.checkpoint, key);
  if (!now) return 'The last checkpoint of the log is not signed with its key';
  const proof = answer.proof.map((hash) => Buffer.from(hash, 'hex'));
  return isConsistent(seen, now, proof) ? null : 'The log does not extend what the witness saw';
}

async function verifyExport(context: Context, { export: file, key, output }: VerifyFlags): Promise<void> {
  const json = wantsJson(output);
  if (!key) throw new UsageError('Give the verifier key with --key: a key from the export proves nothing');
  const check = new ExportCheck(key);
  for await (const line of createInterface({ input: createReadStream(file!), crlfDelay: Infinity })) check.take(line);
  const problem = check.problem();
  if (problem !== null) context.endWith(EXIT.auditIncorrect);
  const { origin = '', size = 0, signedAt = null } = check.signed ?? {};
  if (json) context.out(JSON.stringify({ type: 'summary', holds: problem === null, problem, origin, size, signedAt }));
  else if (problem !== null) context.out(`FAILED: ${problem}`);
  else context.out(`OK: ${origin} signed the export at ${size} leaves on ${signedAt?.toISOString()}`);
}

function findingText({ kind, what, sequence, through, row }: Extract<VerifyLine, { type: 'finding' }>): string {
  const position = sequence === null ? '' : ` at ${sequence}${through === null ? '' : ` to ${through}`}`;
  return `FOUND  ${kind}${position}: ${what}${row ? ` (${row.kind} ${row.id})` : ''}`;
}

function summaryText(line: Extract<VerifyLine, { type: 'summary' }>): string {
  const numberOf = (name: string): number => (typeof line[name] === 'number' ? line[name] : 0);
  const more = [
    [numberOf('archived'), `${numberOf('archived')} leaves archived`],
    [numberOf('clockSetBack'), `the clock was set back ${counted(numberOf('clockSetBack'), 'time')}`],
    [numberOf('witnessed'), `${counted(numberOf('witnessed'), 'checkpoint')} of a witness`],
    [numberOf('pending'), `${numberOf('pending')} rows not placed yet`],
  ] as const;
  const counts = `${line.entries} entries and ${line.outcomes} outcomes, ${counted(numberOf('checkpoints'), 'checkpoint')}`;
  const all = [counts, ...more.filter(([count]) => count > 0).map(([, text]) => text)].join(', ');
  const seconds = (numberOf('ms') / 1_000).toFixed(1);
  return line.holds
    ? `OK: the audit is correct: ${all}, in ${seconds} s`
    : `FAILED: ${line.findings} findings in ${all}, in ${seconds} s`;
}
