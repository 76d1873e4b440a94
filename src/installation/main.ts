import { Command } from 'commander';
import { readConfig, VERSION } from '../platform/config.js';
import { checkedUrls } from '../database/connection/pooler-mode.js';
import { databaseUrls, prepareDatabase } from '../database/database.js';
import { errorFields, createLog } from '../platform/log.js';
import { backUp } from './backup.js';
import { ProgressLine } from './progress.js';
import { checkBackup, restore, type RestoreSummary } from './restore.js';

/*
 * `npm run backup` and `npm run restore`, and in containers `migrate`. The settings are those of `npm start`. The exit code
 * says: 0 all is well, 1 it was done and something was found, 2 it could not be done.
 */

// A backup goes on when the reader of its output leaves.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const say = (text: string) => process.stdout.write(`${text}\n`);
const size = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** @returns the exit code */
type Action = () => Promise<number>;

function build(run: (action: Action) => Promise<void>): Command {
  const program = new Command('npm run').version(VERSION).exitOverride();
  program
    .command('backup')
    .usage('-- [options] <file>')
    .description('Backs up the installation: database, artifacts, archived audit. The gateway may run.')
    .argument('<file>', 'where to write; it must not exist')
    .option('--root-key <file>', 'also copy the root key, into a separate file')
    .option('--without-artifacts', 'leave the bytes of artifacts out, as where their bucket has its own backup')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action((file: string, flags: { rootKey?: string; withoutArtifacts?: boolean }) =>
      run(() => runBackup(file, flags.rootKey, flags.withoutArtifacts ?? false)),
    );
  program
    .command('restore')
    .usage('-- [options] <file>')
    .description('Restores a backup into an empty database and verifies it. The gateway must not run.')
    .argument('<file>', 'a backup')
    .option('--root-key <file>', 'a copy of the root key; it is written to DATA_DIR')
    .option('--check', 'only read the backup and compare every digest; write nothing')
    .addHelpText('after', RESTORE_EXAMPLES)
    .action((file: string, flags: { rootKey?: string; check?: boolean }) =>
      run(() => (flags.check ? runCheck(file) : runRestore(file, flags.rootKey))),
    );
  program
    .command('migrate')
    .description('Updates the schema of the database of DATABASE_URL. The start of a gateway does it, too.')
    .action(() => run(runMigrate));
  return program;
}

const BACKUP_EXAMPLES = `
Examples:
  npm run backup -- /mnt/backup/fleetgate-2026-03-01.tar.gz
  npm run backup -- /mnt/backup/fleetgate.tar.gz --root-key /mnt/usb/root.key

The file has password hashes, sealed secrets and backups of devices: protect it like the database.
The sealed secrets cannot be decrypted without the root key; store its copy in another place.
docs/howto/back-up-and-restore.md describes restore, upgrade, downgrade and the move to another machine.`;

const RESTORE_EXAMPLES = `
Examples:
  npm run restore -- /mnt/backup/fleetgate.tar.gz --check
  DATA_DIR=/srv/fleetgate npm run restore -- /mnt/backup/fleetgate.tar.gz --root-key /mnt/usb/root.key`;

async function runBackup(file: string, rootKeyFile: string | undefined, withoutArtifacts: boolean): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const made = await backUp({ config: readConfig(process.env), file, rootKeyFile, withoutArtifacts, progress });
  say(`The backup is ${made.file}: ${made.rows} rows, ${made.artifacts} artifacts, ${size(made.bytes)}.`);
  say(
    rootKeyFile === undefined
      ? `Restoring its secrets needs the root key ${made.rootKeys.join(', ')}, which is not in it.`
      : `The root key is ${rootKeyFile}. Store it apart from the backup.`,
  );
  const missing = [...made.missingArtifacts, ...made.missingSegments];
  if (missing.length === 0) return 0;
  say(`Missing, damaged or removed during the backup: ${made.missingArtifacts.length} artifacts,`);
  say(`${made.missingSegments.length} archived segments of the audit:`);
  for (const name of missing) say(`  ${name}`);
  return 1;
}

async function runCheck(file: string): Promise<number> {
  const { manifest, contents } = await checkBackup(file);
  const rows = Object.values(contents.rows).reduce((sum, count) => sum + count, 0);
  say(
    `The backup is complete: Fleetgate ${manifest.version}, ${manifest.madeAt}, ${rows} rows, ${contents.entries.length} entries.`,
  );
  say(`Its secrets need the root key ${manifest.rootKeys.join(', ')}.`);
  return 0;
}

async function runRestore(file: string, rootKeyFile: string | undefined): Promise<number> {
  const progress = new ProgressLine(process.stderr);
  const done = await restore({ config: readConfig(process.env), file, rootKeyFile, progress });
  say(
    `The backup of ${done.manifest.madeAt} is restored. All writes are locked: docs/howto/back-up-and-restore.md says what to compare`,
  );
  say('before you lift the lock.');
  return sayProof(done);
}

function sayProof({ proof, trouble }: RestoreSummary): number {
  if (!proof) {
    say(`All rows are restored, but the audit could not be verified: ${trouble?.replace(/\.$/, '')}.`);
    say('Correct this before the start, then run: fleetgate audit verify');
    return 1;
  }
  const { summary, findings } = proof;
  if (summary.holds) {
    say(`The audit is correct: ${summary.entries} entries, ${summary.checkpoints} checkpoints.`);
    return 0;
  }
  say(`The audit is not correct: ${summary.findings} findings.`);
  for (const { kind, what, sequence } of findings) say(`  ${kind} at ${sequence ?? '-'}: ${what}`);
  return 1;
}

async function runMigrate(): Promise<number> {
  const config = readConfig(process.env);
  if (!config.DATABASE_URL)
    throw new Error('Set DATABASE_URL: the embedded database is updated when the gateway starts.');
  const { ownerUrl, appUrl } = await checkedUrls(databaseUrls(config, ''), {
    log: createLog(config.LOG_LEVEL, process.stderr),
  });
  await prepareDatabase(ownerUrl, appUrl);
  say(`The schema of the database is that of Fleetgate ${VERSION}.`);
  return 0;
}

/** One sentence for the operator, and the stack where it was asked for. */
async function run(action: Action): Promise<void> {
  try {
    process.exitCode = await action();
  } catch (error) {
    process.exitCode = 2;
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env['LOG_LEVEL'] === 'debug') createLog('debug').debug(errorFields(error), 'The command failed');
  }
}

try {
  await build(run).parseAsync(process.argv);
} catch (error) {
  // Commander has said what is wrong with the words of the command.
  process.exitCode = (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
}
