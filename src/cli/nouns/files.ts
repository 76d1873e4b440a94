import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import { Option, type Command } from 'commander';
import { ownCommand, type OpenContext } from '../command.js';
import { type components } from '../../api-client/api-client.js';
import { type Context, type GlobalFlags } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { type Row } from '../output/cells.js';
import { lineErrorTexts } from '../errors.js';
import { withQuery } from '../operations/request.js';
import { WorkProgress } from '../output/progress.js';

/* Files up and down: firmware and other artifacts, and the fleet as CSV or NDJSON. */

interface UploadFlags extends GlobalFlags {
  readonly kind?: string;
  readonly name?: string;
  readonly imageVersion?: string;
  readonly models?: string;
}

/** `firmware upload` and `artifact upload`. */
export function uploadCommand(open: OpenContext, kind: string | null): Command {
  const whichKind = new Option('--kind <kind>', 'what it is, such as firmware').makeOptionMandatory();
  return ownCommand<UploadFlags>(open, {
    words: 'upload <file>',
    summary: 'Stores a file; its version and models are read from it where it has them',
    examples:
      kind === null
        ? ['fleetgate artifact upload ca.pem --kind certificate']
        : ['fleetgate firmware upload RUTX_R_00.07.25.3.bin'],
    changes: true,
    options: [
      ...(kind === null ? [whichKind] : []),
      ['--name <name>', 'its name; the name of the file when it is not given'],
      ['--image-version <version>', 'of firmware; read from the image where it says it'],
      ['--models <models>', 'of firmware, separated by commas; read from the image where it says them'],
    ],
    run: (context, flags, file = '') => upload(context, file, kind ?? flags.kind!, flags),
  });
}

async function upload(
  context: Context,
  file: string,
  kind: string,
  { name = path.basename(file), imageVersion: version, models }: UploadFlags,
): Promise<void> {
  const size = await sizeOf(file);
  if (context.flags.dryRun) return context.say(`Would store ${file}, ${size} bytes, as ${kind}`);
  const answer = await context.send('POST', withQuery('/v1/artifacts', { kind, name, version, models }), {
    content: bodyOf(context, file, size),
    headers: { 'content-type': 'application/octet-stream' },
  });
  const artifact = (await answer.json()) as Row;
  await context.object(artifact);
  if (kind !== 'firmware') return;
  if (artifact['isImage'] === false)
    context.say(`${file} does not look like an image of firmware: devices will probably refuse it`);
  else if (artifact['version'] === null) context.say(`${file} does not say its version: give it with --image-version`);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder: name a file in it`);
  return found.size;
}

interface ImportFlags extends GlobalFlags {
  readonly onError?: string;
  readonly format?: string;
}

export const importCommand = (open: OpenContext): Command =>
  ownCommand<ImportFlags>(open, {
    words: 'import <file>',
    summary: 'Registers and updates devices from a CSV or NDJSON file',
    examples: ['fleetgate device import fleet.csv --dry-run', 'fleetgate device import fleet.ndjson --on-error skip'],
    more: 'The exit code is 3 when lines were refused; each is named with its number and what is wrong.',
    changes: true,
    options: [
      new Option('--on-error <what>', 'one bad line: nothing is imported, or the others are').choices(['stop', 'skip']),
      new Option('--format <format>', 'of the file, when its name does not tell').choices(['csv', 'ndjson']),
    ],
    run: importFleet,
  });

type ImportChange = components['schemas']['ImportChange'];
type Value = ImportChange['fields'][number]['before'];

/** Changes that are shown; a file can change thousands of devices. */
const CHANGES_SHOWN = 20;

async function importFleet(context: Context, flags: ImportFlags, file = ''): Promise<void> {
  const { onError, format, dryRun } = flags;
  const isLines = format === 'ndjson' || (format === undefined && /\.(ndjson|jsonl)$/.test(file));
  const size = await sizeOf(file);
  const address = withQuery('/v1/devices/import', { dryRun: dryRun ? 'true' : undefined, onError });
  const answer = await context.send('POST', address, {
    content: bodyOf(context, file, size),
    headers: { 'content-type': isLines ? 'application/x-ndjson' : 'text/csv' },
  });
  const result = (await answer.json()) as components['schemas']['FleetImport'];
  const { errors, changes = [], ...counts } = result;
  await context.object(context.flags.output === undefined ? counts : result);
  for (const line of lineErrorTexts(errors)) context.say(line);
  for (const text of changeTexts(changes)) context.say(text);
  if (result.withoutCredentials)
    context.say('Devices without credentials get no calls and no jobs: fleetgate device list -l credentials:none');
  if (result.failed > 0) context.endWith(EXIT.someFailed);
}

/** What a dry run would change, with a warning where a device gets another name. */
function changeTexts(changes: readonly ImportChange[]): string[] {
  const shown = (value: Value) =>
    value === null || value === '' ? '–' : Array.isArray(value) ? value.join(' ') : String(value);
  const lines = changes.slice(0, CHANGES_SHOWN).map(({ line, device, fields }) => {
    const parts = fields.map(({ field, before, after }) => `${field} ${shown(before)} → ${shown(after)}`);
    return `  line ${line}, ${device}: ${parts.join('; ')}`;
  });
  const more = changes.length > CHANGES_SHOWN ? ['  and more; -o json has the first 1,000'] : [];
  const renamed = changes.filter(({ fields }) => fields.some(({ field }) => field === 'name')).length;
  const warning =
    renamed > 0
      ? [`Look twice, by their serial number these get another name: ${renamed} of ${changes.length} known devices`]
      : [];
  return [...lines, ...more, ...warning];
}

interface ExportFlags extends GlobalFlags {
  readonly selector?: string;
  readonly format?: string;
}

export const exportCommand = (open: OpenContext): Command =>
  ownCommand<ExportFlags>(open, {
    words: 'export',
    summary: 'Writes devices as a file that an import accepts, without passwords',
    examples: [
      'fleetgate device export > fleet.csv',
      'fleetgate device export -l tag:pump --format ndjson > pumps.ndjson',
    ],
    options: [
      ['-l, --selector <selector>', 'which devices; all when it is not given'],
      new Option('--format <format>', 'of the file').choices(['csv', 'ndjson']).default('csv'),
    ],
    async run(context, { selector, format }) {
      const answer = await context.send('GET', withQuery('/v1/devices/export', { selector, format }));
      await context.bytes(answer.body!);
    },
  });

/** The bytes of a file as they are sent, with progress for people. */
function bodyOf(context: Context, file: string, size: number): ReadableStream {
  const progress = new WorkProgress('kB', context.terminal);
  let sent = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      progress.update({ done: Math.round(sent / 1_000), failed: 0, total: Math.round(size / 1_000) });
      done(null, chunk);
    },
    flush(done) {
      progress.end();
      done();
    },
  });
  // The reader of the body gets the error of the file.
  return Readable.toWeb(pipeline(createReadStream(file), counter, () => undefined)) as ReadableStream;
}
