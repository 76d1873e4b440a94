import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startOwnFleet } from '../devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { commandLine, type CommandResult, type RunOptions } from './command-line.js';

/* A gateway with simulated devices `pump-1`, `pump-2`, … tagged `pump`, and the command line of its administrator. */

export interface CliWorld {
  readonly gateway: TestGateway;
  readonly fleet: Fleet;
  /** For profiles and files; its owner alone may read it. */
  readonly folder: string;
  /** The environment of a person with this key. */
  environment(key?: string): Record<string, string>;
  /** Runs a command line as an administrator. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Writes a file, and gives its path. */
  file(name: string, content: string): Promise<string>;
  /** A folder with the program `fleetgate`, for PATH. */
  program(): Promise<string>;
  close(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));

/** @param env settings of the gateway, beside those of every test */
export async function openCliWorld(devices = 3, env: Record<string, string> = {}): Promise<CliWorld> {
  const [gateway, fleet, folder] = await Promise.all([
    startTestGateway(env),
    startOwnFleet({ devices, profile: 'rutos', timeScale: 200 }),
    mkdtemp(path.join(os.tmpdir(), 'fleetgate-cli-')),
  ]);
  const environment = (key?: string) => ({
    FLEETGATE_URL: gateway.url,
    XDG_CONFIG_HOME: folder,
    ...(key === undefined ? {} : { FLEETGATE_API_KEY: key }),
  });
  const world: CliWorld = {
    gateway,
    fleet,
    folder,
    environment,
    run: (args, options = {}) => commandLine(environment(gateway.keys.administrator), args, options),
    async file(name, content) {
      const at = path.join(folder, name);
      await writeFile(at, content, { mode: 0o600 });
      return at;
    },
    async program() {
      const at = path.join(folder, 'bin');
      await mkdir(at, { recursive: true });
      await writeFile(path.join(at, 'fleetgate'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
        mode: 0o700,
      });
      return at;
    },
    async close() {
      await gateway.close();
      await fleet.close();
      await rm(folder, { recursive: true });
    },
  };
  const lines = fleet.devices.map(({ baseUrl, username, password }, at) =>
    JSON.stringify({ name: `pump-${at + 1}`, baseUrl, tags: ['pump'], credentials: { username, password } }),
  );
  const imported = await world.run(['device', 'import', await world.file('fleet.ndjson', lines.join('\n'))]);
  if (imported.code !== 0) throw new Error(imported.err);
  return world;
}
