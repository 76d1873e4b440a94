/*
 * One process of the gateway as the fault run starts and kills it: the product with a clock that is so many times faster,
 * as the fleet's is, so that a device that is away for minutes is away for seconds. Settings come from the environment.
 */
import { startGateway } from '../src/gateway.js';
import { readConfig } from '../src/platform/config.js';
import { ScaledClock } from '../test/support/scaled-clock.js';

/** Pauses keep this length, in real milliseconds: twenty sweeps of the database in place of one would only burn processor time. */
const SHORTEST_PAUSE_MS = 250;

const { FAULTS_TIME_SCALE: scale, FAULTS_TIME_BASE: base, FAULTS_TIME_AHEAD_MS: aheadMs = '0' } = process.env;

class FaultClock extends ScaledClock {
  /** Also ahead by a fixed time, where a run begins at another date. */
  override now(): Date {
    return new Date(super.now().getTime() + Number(aheadMs));
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(Math.max(ms, Math.min(ms, SHORTEST_PAUSE_MS) * this.scale), signal);
  }
}

process.once('disconnect', () => process.exit(1));
const clock = new FaultClock(Number(scale), Number(base));
const gateway = await startGateway({ config: readConfig(process.env), clock });
process.send!({ url: gateway.url });
