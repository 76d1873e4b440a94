import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { startFleet } from '../../src/simulator/fleet.js';
import { startTestGateway } from '../support/gateway.js';

/* Every test's gateway is searched when it closes, for what that test made secret. Here that search is shown to find. */

const PASSWORD = `Password-${randomBytes(9).toString('hex')}`;

/** Closes a gateway after a secret was put where it does not belong. @returns what the search says */
async function leftBehind(leak: (db: pg.Client, token: string) => Promise<unknown>): Promise<string> {
  const fleet = await startFleet({ devices: 1, adminPassword: PASSWORD });
  const world = await startTestGateway({ ROLE: 'api' });
  const db = new pg.Client({ connectionString: world.databaseUrl });
  try {
    await db.connect();
    const credentials = { username: 'admin', password: PASSWORD };
    const { id } = await world.api.post<{ id: string }>('/v1/devices', {
      name: 'router',
      baseUrl: fleet.devices[0]!.baseUrl,
      credentials,
    });
    await world.api.get(`/v1/devices/${id}/api/system/device/status`);
    const [token] = (Reflect.get(fleet.devices[0]!.sessions, 'byToken') as Map<string, unknown>).keys();
    await leak(db, token!);
  } finally {
    await db.end();
  }
  const said = await world.close().then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  await fleet.close();
  return said;
}

describe('what a test leaves behind', () => {
  it('is named by its table and its kind: the password of a device, in hex, and its token', async () => {
    const said = await leftBehind((db, token) =>
      db.query(`update device set site = encode($1, 'hex'), model = $2`, [Buffer.from(PASSWORD), token]),
    );
    expect(said).toMatch(/public\.device: device_account\.sealed_password of [0-9a-f-]{36} as/);
    expect(said).toMatch(/public\.device: the token of a device as/);
  });
});
