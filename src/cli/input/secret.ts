import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../exit-codes.js';
import { type Terminal } from '../context.js';

/* Secrets and answers to questions. A secret never is an argument: other users of the machine can read those. */

/** A longer file is none with one secret. */
const SECRET_BYTES_MAX = 64 * 1024;

/**
 * Reads a secret from a file (`-` is standard input), or asks for it on the terminal without showing it.
 * @throws UsageError when there is neither a file nor a terminal to ask on
 */
export async function readSecret(
  label: string,
  flag: string,
  file: string | undefined,
  terminal: Terminal,
): Promise<string> {
  if (file !== undefined) return oneLine(file === '-' ? await text(terminal.stdin) : await contentOf(file, flag), flag);
  if (!terminal.mayAsk) throw new UsageError(`Give ${label} with ${flag} <file>; - is standard input`);
  return ask(`${label}: `, terminal, true);
}

/** Asks a question on the terminal. */
export async function ask(question: string, terminal: Terminal, hidden = false): Promise<string> {
  // The terminal does not echo what goes to an output that drops it.
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!hidden) terminal.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: terminal.stdin, output, terminal: terminal.mayAsk });
  try {
    // Only now: a terminal shows what is typed, or pasted, before this.
    if (hidden) terminal.stderr.write(question);
    const answer = await Promise.race([lines.question(hidden ? '' : question), closed(lines)]);
    if (hidden) terminal.stderr.write('\n');
    return answer;
  } finally {
    lines.close();
  }
}

/**
 * Asks for consent, or for a name as consent to what cannot be undone.
 * @param wanted what has to be typed; null asks for yes or no
 * @throws UsageError when it is refused, or when the command may not ask
 */
export async function requireConsent(
  sentence: string,
  wanted: string | null,
  given: { readonly yes?: boolean; readonly confirm?: string },
  terminal: Terminal,
): Promise<void> {
  if (wanted === null ? given.yes : given.confirm === wanted) return;
  if (given.confirm !== undefined && wanted !== null)
    throw new UsageError(`--confirm=${given.confirm} is not ${wanted}`);
  const flag = wanted === null ? '--yes' : `--confirm=${wanted}`;
  if (!terminal.mayAsk) throw new UsageError(`Nothing was done. ${sentence} Give ${flag} to do it without a question`);
  const answer = await ask(
    wanted === null ? `${sentence} Continue? [y/N] ` : `${sentence} Type ${wanted} to continue: `,
    terminal,
  );
  const agreed = wanted === null ? /^y(es)?$/i.test(answer.trim()) : answer.trim() === wanted;
  if (!agreed) throw new UsageError('Nothing was done');
}

/** The error does not repeat the argument: it may be the secret itself, by mistake. */
async function contentOf(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${flag} takes the path of a file that you may read (${code})`);
  }
}

function oneLine(content: string, flag: string): string {
  if (content.length > SECRET_BYTES_MAX) throw new UsageError(`The file of ${flag} is too large for a secret`);
  const secret = content.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError(`The file of ${flag} is empty`);
  return secret;
}

function closed(lines: { once(event: 'close', listener: () => void): unknown }): Promise<never> {
  return new Promise((_resolve, reject) => {
    lines.once('close', () => reject(new UsageError('Nothing was typed')));
  });
}
