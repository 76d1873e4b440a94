import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { LineOutput } from './line-output.js';

/*
 * Standard output and standard error of this process, without waiting for their readers. A blocking write to a full pipe
 * or a stopped terminal would stop the event loop, and with it the fleet.
 */

type Descriptor = 1 | 2;

const outputs = new Map<Descriptor, LineOutput>();

/** @returns the output of this descriptor, one for the process */
export function standardOutput(descriptor: Descriptor): LineOutput {
  let output = outputs.get(descriptor);
  if (!output) {
    const fd = nonBlocking(descriptor);
    const made = new LineOutput((bytes) => writeSync(fd, bytes));
    process.on('exit', () => made.flush());
    outputs.set(descriptor, made);
    output = made;
  }
  return output;
}

/** A descriptor for the same file whose writes do not wait. */
function nonBlocking(descriptor: Descriptor): number {
  try {
    // Opened again, since the shell has the same open terminal and wants it blocking.
    if (isatty(descriptor)) {
      return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
    const kind = fstatSync(descriptor);
    if (kind.isFIFO() || kind.isSocket()) {
      // Node makes a pipe non-blocking when it first makes a stream of it. Node's own messages then do not wait either.
      const stream = descriptor === 1 ? process.stdout : process.stderr;
      stream.on('error', () => undefined);
    }
  } catch {
    // A closed descriptor, or a terminal of another user: lines are dropped, or writes wait for the terminal.
  }
  return descriptor;
}
