/* The gateway of a fuzz run: a process of its own, that says how late its event loop was. Settings come from the environment. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startGateway } from '../src/gateway.js';
import { readConfig } from '../src/platform/config.js';

process.once('disconnect', () => process.exit(1));
const gateway = await startGateway({ config: readConfig(process.env) });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('message', () => {
  // The loop must turn once more, or the delay that is under way is not counted.
  setTimeout(() => {
    process.send!({ delayMs: delay.max / 1e6 });
    delay.reset();
  }, 20);
});
process.send!({ url: gateway.url });
