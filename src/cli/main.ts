#!/usr/bin/env node
import module from 'node:module';
import { VERSION } from './version.js';

/* The command line. What a command does not need is not loaded: a version is printed at once. */

const args = process.argv.slice(2);

/** The gateway and the simulator read the arguments after their name as their own. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  serve: () => import('../main.js'),
  simulator: () => import('../simulator/main.js'),
};

const program = PROGRAMS[args[0] ?? ''];
if (args[0] === '--version') {
  process.stdout.write(`fleetgate ${VERSION}\n`);
} else if (program) {
  process.argv.splice(2, 1);
  await program();
} else {
  // A reader that has enough, such as `head`, closes the pipe: that ends the command quietly.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stderr.on('error', () => undefined); // what it would say has no reader
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  // Node 22.1 stores compiled code; a type of Node 20 does not know it.
  (module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  const { run } = await import('./program.js');
  const { stdin, stdout, stderr, env: environment } = process;
  process.exitCode = await run(args, { stdin, stdout, stderr, environment, interrupted: interrupt.signal });
  stdin.destroy();
}
