#!/usr/bin/env node
import { buildProgram } from './program.js';

/* The command line. Its exit code says: 0 all is well, 1 something was found, 2 it could not be done. */
process.exitCode = await buildProgram(process.env, process.stdout, process.stderr).run(process.argv.slice(2));
