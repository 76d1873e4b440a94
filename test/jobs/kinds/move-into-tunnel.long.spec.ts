import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/device-api/contract.js';
import { SimulatorProcess } from '../../support/devices/simulator-process.js';
import { GatewayProcess } from '../../support/gateway-process.js';
import { DIRECT, reasonAgainst, TUNNEL, TwoNats } from '../../support/network/two-nats.js';
import { until } from '../../support/until.js';

/* The way of docs/howto/move-devices-to-another-address.md in a real network: behind two NATs, through WireGuard. */

const PASSWORD = 'Router-in-a-tunnel-1';
const PORT = 20_443;
const UPLOAD_BYTES = 20 * 1024 * 1024;

const reason = reasonAgainst();
if (reason) process.stderr.write(`SKIPPED: a router behind two NATs is not moved into a tunnel: ${reason}\n`);

describe.skipIf(reason !== null)('a router behind two NATs', () => {
  let network: TwoNats;
  let simulator: SimulatorProcess;
  let gateway: GatewayProcess;
  let folder: string;
  let key = '';

  /** A request to the gateway from its own network. @returns status and body */
  async function ask(method: string, url: string, ...more: string[]) {
    const header = key === '' ? [] : ['-H', `authorization: Bearer ${key}`];
    const args = ['-sS', '-X', method, '-w', '\n%{http_code}', ...header, ...more, `${gateway.url}${url}`];
    const written = await network.exec('gateway', 'curl', ...args);
    const end = written.lastIndexOf('\n');
    return { status: Number(written.slice(end + 1)), body: JSON.parse(written.slice(0, end) || 'null') as Answer };
  }
  type Answer = Record<string, unknown> & { id: string };
  const json = (body: object) => ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
  const device = async () => (await ask('GET', '/v1/devices/name:router')).body;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-tunnel-'));
    await chmod(folder, 0o711); // as root the embedded database runs as another user
    network = await TwoNats.open();
    const flags = ['--devices', '1', '--profile', 'rutos', '--port', String(PORT), '--password', PASSWORD];
    simulator = await SimulatorProcess.startInside(network.inside('router'), flags);
    await network.publish(PORT);
    const env = { DATA_DIR: path.join(folder, 'data') };
    gateway = await GatewayProcess.start(env, network.inside('gateway'));
    const token = /setup_[\w-]+/.exec(gateway.lastWords)![0];
    const { body } = await ask('POST', '/v1/setup', ...json({ token, operatorName: 'Ada' }));
    key = /fg_[\w-]+/.exec(JSON.stringify(body))![0];
    const credentials = { username: 'admin', password: PASSWORD };
    const router = { name: 'router', baseUrl: `https://${DIRECT}`, credentials };
    expect(await ask('POST', '/v1/devices', ...json(router))).toMatchObject({ status: 201 });
  });
  afterAll(async () => {
    await gateway?.stop();
    await simulator?.stop();
    await network?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is moved to its address in the tunnel, and works there when the direct line is cut', async () => {
    expect(await ask('GET', `/v1/devices/name:router${PATHS.systemStatus}`)).toMatchObject({ status: 200 });
    await network.openTunnel();
    const move = { kind: 'move', spec: { to: `https://${TUNNEL}` } };
    const { body: started } = await ask('POST', '/v1/devices/name:router/jobs', ...json(move));
    const job = await until(async () => {
      const { body } = await ask('GET', `/v1/jobs/${started.id}`);
      return body['phase'] === 'ended' && body;
    });
    expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(await device()).toMatchObject({ baseUrl: `https://${TUNNEL}`, spareUrl: `https://${DIRECT}` });

    await network.cutDirectLine();
    const read = await ask('GET', `/v1/devices/name:router${PATHS.systemStatus}`);
    expect(read).toMatchObject({ status: 200, body: { success: true } });
    const file = path.join(folder, 'backup.tar.gz');
    await writeFile(file, Buffer.alloc(UPLOAD_BYTES, 'a backup'));
    const upload = await ask('POST', `/v1/devices/name:router${PATHS.uploadBackup}`, '-F', `file=@${file}`);
    expect(upload).toMatchObject({ status: 200, body: { success: true } });
    expect(await device()).toMatchObject({ state: 'online', bySpare: false });
  });
});
