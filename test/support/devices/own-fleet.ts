import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { randomInt } from 'node:crypto';
import { startFleet, type Fleet, type FleetOptions } from '../../../src/simulator/fleet.js';

/** Ports that a fleet is tried on: others of this machine may have one. */
const PORT_TRIES = 20;

/** No device has this address. Who listens on a port of it has that port of all addresses, while a device is away, too. */
const RESERVATIONS = '127.255.255.254';

/**
 * A device that is away has closed its port, and a fleet of another process could take it: each fleet has a port of its own,
 * with an address for each device, and keeps it until it is closed. macOS has the one address alone.
 */
export async function startOwnFleet(options: FleetOptions): Promise<Fleet> {
  if (process.platform === 'darwin') return startFleet(options);
  for (let tries = 1; ; tries++) {
    const port = randomInt(31_100, 32_700);
    const reservation = createServer();
    try {
      await once(reservation.listen({ host: RESERVATIONS, port, exclusive: true }), 'listening');
      return reservedUntilClosed(await startFleet({ addressing: 'address', port, ...options }), reservation);
    } catch (error) {
      reservation.close();
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === PORT_TRIES) throw error;
    }
  }
}

function reservedUntilClosed(fleet: Fleet, reservation: Server): Fleet {
  const close = fleet.close.bind(fleet);
  return Object.assign(fleet, {
    close: async () => {
      await close();
      reservation.close();
    },
  });
}
