import { Command, CommanderError } from 'commander';
import { ApiClient, ApiError, ConnectionError } from '../api-client/api-client.js';
import { auditCommand } from './audit.js';
import { type Context } from './context.js';

interface Writable {
  write(text: string): unknown;
}

/** Long enough for the verification of many millions of entries. */
const TIMEOUT_MS = 6 * 60 * 60_000;

/** @returns the program; `run` takes its arguments and gives the exit code */
export function buildProgram(
  environment: Readonly<Record<string, string | undefined>>,
  stdout: Writable,
  stderr: Writable,
): { run: (args: readonly string[]) => Promise<number> } {
  let code = 0;
  const program = new Command('fleetgate')
    .description('The gateway from the command line.')
    .option(
      '--url <url>',
      'where the gateway answers (FLEETGATE_URL)',
      environment['FLEETGATE_URL'] ?? 'http://127.0.0.1:8080',
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .addHelpText(
      'after',
      `
The API key is read from FLEETGATE_API_KEY, so that it is not in the list of processes.
Every command exits with 0 when all is well, with 1 when something was found, with 2 when it failed.
From a clone of the project: npm run --silent cli -- audit verify`,
    );
  const context: Context = {
    out: (text) => stdout.write(`${text}\n`),
    err: (text) => stderr.write(`${text}\n`),
    api: () => {
      const key = environment['FLEETGATE_API_KEY'];
      if (!key) throw new Error('Set FLEETGATE_API_KEY to an API key');
      return new ApiClient({ url: program.opts<{ url: string }>().url, key, timeoutMs: TIMEOUT_MS });
    },
    endWith: (found) => (code = found),
  };
  program.addCommand(auditCommand(context));
  for (const command of program.commands) inherit(command, program);
  return {
    run: async (args) => {
      try {
        await program.parseAsync(args, { from: 'user' });
        return code;
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
        context.err(sentenceOf(error, program.opts<{ url: string }>().url));
        return 2;
      }
    },
  };
}

/** Commands made elsewhere write and end as the program does. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent);
  for (const inner of command.commands) inherit(inner, command);
}

/** What the system says about the address, in words that tell what to do. */
function connectionSentence({ reason, systemCode, message }: ConnectionError, url: string): string {
  if (reason === 'timeout') return message;
  if (systemCode === null || systemCode === 'ECONNREFUSED')
    return `No gateway answers at ${url}: start it, or give its address with --url or FLEETGATE_URL`;
  if (systemCode === 'ENOTFOUND')
    return `The name in ${url} is not known: give the gateway's address with --url or FLEETGATE_URL`;
  return message;
}

/** The same for files. */
function fileSentence({ code, path }: NodeJS.ErrnoException): string | null {
  if (path === undefined) return null;
  if (code === 'ENOENT') return `There is no file ${path}`;
  if (code === 'EEXIST') return `${path} already exists: choose another name`;
  if (code === 'EACCES') return `this user may not read or write ${path}`;
  return null;
}

function sentenceOf(error: unknown, url: string): string {
  if (error instanceof ConnectionError) return connectionSentence(error, url);
  if (error instanceof ApiError) return error.detail === null ? error.message : `${error.message}. ${error.detail}`;
  const said = fileSentence(error as NodeJS.ErrnoException);
  return said ?? (error instanceof Error ? error.message : String(error));
}
