import { randomInt } from 'node:crypto';
import { startFleet, type Fleet, type FleetOptions } from '../../../src/simulator/fleet.js';

/** Ports that a fleet is tried on: others of this machine may have one. */
const PORT_TRIES = 20;

/**
 * A device that is away has closed its port, and a fleet of another process could take it: each fleet has a port of its own,
 * with an address for each device. macOS has the one address alone.
 */
export async function startOwnFleet(options: FleetOptions): Promise<Fleet> {
  if (process.platform === 'darwin') return startFleet(options);
  for (let tries = 1; ; tries++) {
    try {
      return await startFleet({ addressing: 'address', port: randomInt(31_100, 32_700), ...options });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === PORT_TRIES) throw error;
    }
  }
}
