import { type Command } from 'commander';
import { plainCommand } from '../command.js';

/* The help of the programs that `main.ts` starts by itself. */

export function serveCommand(): Command {
  return plainCommand({
    words: 'serve',
    summary: 'Starts the gateway; environment variables configure it',
    examples: ['PORT=9000 fleetgate serve'],
  });
}

export function simulatorCommand(): Command {
  return plainCommand({
    words: 'simulator',
    summary: 'Starts a fleet of simulated routers; it has a help of its own',
    examples: [
      'fleetgate simulator --devices 25',
      'fleetgate simulator image --family RUTX50 --version 07.25.3',
      'fleetgate simulator --help',
    ],
  });
}
