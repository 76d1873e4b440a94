/*
 * The baseline in C, where it is installed: nginx as one process, with a location and keep-alive connections for each device
 * and the token put in as a constant header. Its files are in a temporary folder, its port is a free one on loopback.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { AUTHORIZATION, type BaselineSettings } from './settings.js';

const START_WITHIN_MS = 5_000;

/** The version of nginx on this machine; null when there is none. */
export function nginxVersion(): string | null {
  const { stderr, error } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return error ? null : (/nginx\/(\S+)/.exec(stderr)?.[1] ?? null);
}

/** Starts nginx in front of the devices. */
export async function startNginx(settings: BaselineSettings): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-bench-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, settings));
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGTERM');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (const startedAt = performance.now(); !(await answers(port));) {
    if (child.exitCode !== null || performance.now() - startedAt > START_WITHIN_MS) {
      await stop();
      throw new Error('nginx did not start');
    }
  }
  return { port, stop };
}

function configuration(folder: string, port: number, { devices }: BaselineSettings): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const upstreams = devices.map(
    (device) =>
      `upstream ${device.name} { server 127.0.0.1:${device.port}; keepalive 4; keepalive_requests 100000000; }`,
  );
  const locations = devices.map(
    ({ name }) => `location /v1/devices/name:${name}/api/ { proxy_pass https://${name}/api/; }`,
  );
  return `
    daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 4096; }
    http {
      access_log off; keepalive_requests 100000000; ${paths.join(' ')}
      proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Authorization "${AUTHORIZATION}";
      ${upstreams.join('\n')}
      server { listen 127.0.0.1:${port}; ${locations.join('\n')} }
    }
  `;
}

async function answers(port: number): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
