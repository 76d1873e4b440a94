/* The gateway of a fuzz run: a process of its own, that says how long its event loop was held up. Settings come from the environment. */
import { startGateway } from '../src/gateway.js';
import { readConfig } from '../src/platform/config.js';

const TICK_MS = 5;

/**
 * The longest time between two turns of the event loop, in milliseconds: by the clock, or in processor time where that is
 * less, since a machine has other work too.
 */
let longestMs = 0;
let lastAt = performance.now();
let lastUsage = process.cpuUsage();

function turn(): void {
  const { user, system } = process.cpuUsage(lastUsage);
  longestMs = Math.max(longestMs, Math.min(performance.now() - lastAt, (user + system) / 1000) - TICK_MS);
  lastAt = performance.now();
  lastUsage = process.cpuUsage();
}

process.once('disconnect', () => process.exit(1));
const gateway = await startGateway({ config: readConfig(process.env) });
setInterval(turn, TICK_MS);
process.on('message', () => {
  // The loop must turn once more, or the time that is under way is not counted.
  setTimeout(() => {
    turn();
    process.send!({ delayMs: longestMs });
    longestMs = 0;
  }, 20);
});
process.send!({ url: gateway.url });
