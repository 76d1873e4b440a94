import { createReadStream } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ReadableStream as NodeStream } from 'node:stream/web';
import { Command } from 'commander';
import { openCheckpoint, splitNotes } from '../merkle-log/checkpoint.js';
import { ExportCheck } from '../merkle-log/export-check.js';
import { isConsistent } from '../merkle-log/merkle.js';
import { parseVerifierKey } from '../merkle-log/signed-note.js';
import { type ApiClient, type components } from '../api-client/api-client.js';
import { type Context } from './context.js';

/*
 * The audit from outside. `verify` asks the gateway to prove its audit, and does not take its word where it need not: with
 * the file of a witness it checks by itself that what the witness saw is the beginning of what is there now.
 */

type VerifyLine = components['schemas']['AuditVerifyLine'];

interface VerifyFlags {
  readonly witness?: string;
  readonly key?: string;
  readonly export?: string;
  readonly json?: boolean;
}

/** Checkpoints of a witness that are sent with one verification; the newest say the most. */
const WITNESSED_MAX = 1_000;

/** `fleetgate audit …` */
export function auditCommand(context: Context): Command {
  const audit = new Command('audit').description('Proves, shows and exports the audit.');
  audit
    .command('verify')
    .description('verifies the complete audit and names every wrong row')
    .option('--witness <file>', 'a file of checkpoints of a witness: detects a roll-back of the complete database')
    .option('--key <verifier key>', 'the key of the log, from a source outside the gateway')
    .option('--export <file>', 'verifies an export instead, without the gateway; needs --key')
    .option('--json', 'writes lines of JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ fleetgate audit verify
  $ fleetgate audit verify --witness /mnt/worm/audit.checkpoints --key "$(cat audit.vkey)"
  $ fleetgate audit verify --export march.ndjson --key "$(cat audit.vkey)"

Exits with 0 when the audit is correct, with 1 when it is not, with 2 when it could not be verified.`,
    )
    .action((flags: VerifyFlags) => (flags.export ? verifyExport(context, flags) : verifyLog(context, flags)));
  audit
    .command('key')
    .description('prints the verifier key of the log; store it apart from the gateway')
    .addHelpText('after', '\nExamples:\n  $ fleetgate audit key > audit.vkey')
    .action(async () => context.out((await context.api().get('/v1/audit/log')).key));
  audit
    .command('checkpoint')
    .description('prints the last signed checkpoint of the log')
    .addHelpText('after', '\nExamples:\n  $ fleetgate audit checkpoint >> /mnt/usb/audit.checkpoints')
    .action(async () => {
      const { checkpoint } = await context.api().get('/v1/audit/log');
      if (checkpoint === null) throw new Error('The audit log is empty');
      context.out(checkpoint);
    });
  addExport(audit, context);
  return audit;
}

function addExport(audit: Command, context: Context): void {
  audit
    .command('export')
    .description('writes entries with their proof into a file')
    .requiredOption('--output <file>', 'where to write; it must not exist')
    .option('--since <instant>', 'not before')
    .option('--until <instant>', 'before')
    .option('--selector <selector>', 'only of these devices')
    .option('--actor <actor>', 'only of this actor')
    .option('--action <action>', 'only this action; `device.*` matches all actions of a noun')
    .addHelpText(
      'after',
      `
Examples:
  $ fleetgate audit export --output march.ndjson --since 2026-03-01T00:00:00Z --until 2026-04-01T00:00:00Z
  $ docs/verify-export.sh march.ndjson "$(cat audit.vkey)"`,
    )
    .action((flags: ExportFlags) => exportTo(context, flags));
}

type ExportFlags = { readonly output: string } & Readonly<Record<string, string>>;

async function exportTo(context: Context, { output, ...input }: ExportFlags): Promise<void> {
  // Before anything is asked for: the gateway makes one export at a time.
  const file = await open(output, 'wx', 0o600);
  try {
    const body = await context.api().stream('post', '/v1/audit/export', { body: input });
    await pipeline(Readable.fromWeb(body as NodeStream), file.createWriteStream());
  } catch (error) {
    await file.close();
    await rm(output, { force: true });
    throw error;
  }
  const rows = await countRows(output);
  const none = rows === 0 ? '; nothing was found: check --since and --until' : '';
  context.err(`${counted(rows, 'row')} of the audit, with their proof, are in ${output}${none}`);
}

/** Lines of an export that are rows, and not its checkpoint or its proof. */
async function countRows(file: string): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.startsWith('{"proof":')) lines++;
  }
  return Math.max(0, lines - 1); // the first is the checkpoint
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function verifyLog(context: Context, { witness, key, json }: VerifyFlags): Promise<void> {
  const api = context.api();
  const notes = witness === undefined ? [] : splitNotes(await readFile(witness, 'utf8'));
  const witnessed = notes.slice(-WITNESSED_MAX);
  const doubts = witnessed.length === 0 ? null : await compareWithWitness(api, witnessed.at(-1)!, key);
  if (doubts !== null) {
    context.endWith(1);
    context.out(json ? JSON.stringify({ type: 'finding', kind: 'not_consistent', what: doubts }) : `FOUND  ${doubts}`);
  }
  const input = { witnessed, ...(key === undefined ? {} : { key }) };
  let hasEnded = false;
  for await (const line of api.lines('post', '/v1/audit/verify', { body: input })) {
    if (json) context.out(JSON.stringify(line));
    else if (line.type === 'finding') context.out(findingText(line));
    else if (line.type === 'summary') context.out(summaryText(line));
    if (line.type !== 'summary') continue;
    hasEnded = true;
    if (!line.holds) context.endWith(1);
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
  if (!key) throw new Error('The verifier key is not valid');
  const seen = openCheckpoint(note, key);
  if (!seen) return 'The last checkpoint of the witness is not signed with the key of this log';
  if (seen.size > log.size) return `The witness saw ${seen.size} leaves, and the log was signed at ${log.size}`;
  const answer = await api.get('/v1/audit/consistency', { params: { query: { from: seen.size } } });
  const now = openCheckpoint(answer.checkpoint, key);
  if (!now) return 'The last checkpoint of the log is not signed with its key';
  const proof = answer.proof.map((hash) => Buffer.from(hash, 'hex'));
  return isConsistent(seen, now, proof) ? null : 'The log does not extend what the witness saw';
}

async function verifyExport(context: Context, { export: file, key, json }: VerifyFlags): Promise<void> {
  if (!key) throw new Error('Give the verifier key with --key: a key from the export proves nothing');
  const check = new ExportCheck(key);
  for await (const line of createInterface({ input: createReadStream(file!), crlfDelay: Infinity })) check.take(line);
  const problem = check.problem();
  if (problem !== null) context.endWith(1);
  const { origin = '', size = 0, signedAt = null } = check.signed ?? {};
  if (json) context.out(JSON.stringify({ type: 'summary', holds: problem === null, problem, origin, size, signedAt }));
  else if (problem !== null) context.out(`FAILED: ${problem}`);
  else context.out(`OK: ${origin} signed the export at ${size} leaves on ${signedAt?.toISOString()}`);
}

function findingText({ kind, what, sequence, through, row }: VerifyLine & { type: 'finding' }): string {
  const position = sequence === null ? '' : ` at ${sequence}${through ? ` to ${through}` : ''}`;
  return `FOUND  ${kind}${position}: ${what}${row ? ` (${row.kind} ${row.id})` : ''}`;
}

function summaryText(line: VerifyLine & { type: 'summary' }): string {
  const counts = `${line.entries} entries and ${line.outcomes} outcomes, ${counted(line.checkpoints, 'checkpoint')}`;
  const more = [
    ...(line.archived ? [`${line.archived} leaves archived`] : []),
    ...(line.clockSetBack ? [`the clock was set back ${counted(line.clockSetBack, 'time')}`] : []),
    ...(line.witnessed ? [`${counted(line.witnessed, 'checkpoint')} of a witness`] : []),
    ...(line.pending ? [`${line.pending} rows not placed yet`] : []),
  ];
  const all = [counts, ...more].join(', ');
  const seconds = (line.ms / 1_000).toFixed(1);
  return line.holds
    ? `OK: the audit is correct: ${all}, in ${seconds} s`
    : `FAILED: ${line.findings} findings in ${all}, in ${seconds} s`;
}
