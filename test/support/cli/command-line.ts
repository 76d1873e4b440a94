import { PassThrough, Writable } from 'node:stream';
import { run } from '../../../src/cli/program.js';

/* The command line in this process, with streams of its own. */

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly isTerminal?: boolean;
  readonly interrupted?: AbortSignal;
  /** Gets what is written to standard output, as it comes. */
  readonly onOut?: (text: string) => void;
  /** On a terminal: what is typed at a question that ends in `: ` or `] `. */
  readonly answer?: (question: string) => Promise<string>;
}

/** A stream that remembers what was written, and is a terminal of 80 columns where asked. */
class Memory extends Writable {
  text = '';
  readonly columns = 80;

  constructor(
    readonly isTTY: boolean,
    private readonly onText?: (text: string) => void,
  ) {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    this.text += text;
    this.onText?.(text);
    done();
  }
}

/** Runs a command line. */
export async function commandLine(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  {
    input,
    answer,
    onOut,
    isTerminal = answer !== undefined,
    interrupted = new AbortController().signal,
  }: RunOptions = {},
): Promise<CommandResult> {
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  if (input !== undefined || !isTerminal) stdin.end(input ?? '');
  const onText = (text: string) => {
    if (answer && /[:\]] $/.test(text)) void answer(text).then((typed) => stdin.write(`${typed}\n`));
  };
  const [stdout, stderr] = [new Memory(isTerminal, onOut), new Memory(isTerminal, onText)];
  const code = await run(args, { stdin, stdout, stderr, environment, interrupted });
  return { code, out: stdout.text, err: stderr.text };
}
