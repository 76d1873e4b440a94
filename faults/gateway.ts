/*
 * One process of the gateway as the fault run starts and kills it: the product with a clock that is so many times faster,
 * as the fleet's is, so that a device that is away for minutes is away for seconds. Settings come from the environment.
 */
import { startGateway } from '../src/gateway.js';
import { readConfig } from '../src/platform/config.js';
import { ScaledClock } from '../test/support/scaled-clock.js';

const { FAULTS_TIME_SCALE: scale, FAULTS_TIME_BASE: base } = process.env;
process.once('disconnect', () => process.exit(1));
const clock = new ScaledClock(Number(scale), Number(base));
const gateway = await startGateway({ config: readConfig(process.env), clock });
process.send!({ url: gateway.url });
