import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { systemActor } from '../../src/platform/actor.js';
import { readConfig } from '../../src/platform/config.js';
import { KeyRotation } from '../../src/secrets/key-rotation.js';
import { createLog, errorFields } from '../../src/platform/log.js';
import { readRootKeys } from '../../src/secrets/root-key-source.js';
import { Secrets } from '../../src/secrets/secrets.js';
import { freshDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { holdEnds } from '../support/jobs/held-ends.js';
import { until } from '../support/until.js';

/* A transit engine that really encrypts, as the API of Vault and OpenBao describes it, with versions of its key. */

const TOKEN = `hvs.${randomBytes(18).toString('base64url')}`;

interface Engine {
  readonly url: string;
  rotate(): void;
  readonly requests: string[];
  isAway: boolean;
  /** Whether it answers byte by byte, without an end. */
  drips: boolean;
  /** Whether it refuses with all that it got. */
  echoes: boolean;
}

let server: Server;
let engine: Engine;
let dir: string;

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, string>;
}

async function startEngine(): Promise<Engine> {
  const keys = [randomBytes(32)];
  const state = { isAway: false, drips: false, echoes: false, requests: [] as string[] };
  server = createServer((request, response) => {
    void (async () => {
      const answer = (status: number, data: object) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
      };
      state.requests.push(`${request.method} ${request.url}`);
      const body = await bodyOf(request);
      if (state.drips) {
        const drops = setInterval(() => response.write(' '), 50);
        return void response.on('close', () => clearInterval(drops));
      }
      if (state.echoes) {
        const got = `cannot use ${String(request.headers['x-vault-token'])} with ${body['ciphertext']} of vault\n`;
        return answer(400, { errors: [got] });
      }
      if (state.isAway) return answer(503, { errors: ['Vault is sealed'] });
      if (request.headers['x-vault-token'] !== TOKEN) return answer(403, { errors: [`bad token ${TOKEN}`] });
      const aad = Buffer.from(body['associated_data'] ?? '', 'base64');
      switch (`${request.method} ${request.url}`) {
        case 'GET /v1/transit/keys/fleetgate':
          return answer(200, { data: { latest_version: keys.length } });
        case 'POST /v1/transit/encrypt/fleetgate': {
          const nonce = randomBytes(12);
          const cipher = createCipheriv('aes-256-gcm', keys.at(-1)!, nonce).setAAD(aad);
          const sealed = Buffer.concat([cipher.update(Buffer.from(body['plaintext']!, 'base64')), cipher.final()]);
          const text = Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64');
          return answer(200, { data: { ciphertext: `vault:v${keys.length}:${text}` } });
        }
        case 'POST /v1/transit/decrypt/fleetgate': {
          const [, version, text] = /^vault:v(\d+):(.+)$/.exec(body['ciphertext']!)!;
          const bytes = Buffer.from(text!, 'base64');
          const decipher = createDecipheriv('aes-256-gcm', keys[Number(version) - 1]!, bytes.subarray(0, 12))
            .setAAD(aad)
            .setAuthTag(bytes.subarray(-16));
          try {
            const clear = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
            return answer(200, { data: { plaintext: clear.toString('base64') } });
          } catch {
            return answer(400, { errors: ['cipher: message authentication failed'] });
          }
        }
        default:
          return answer(404, { errors: [] });
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rotate: () => void keys.push(randomBytes(32)),
  });
}

const lines: string[] = [];
const log = createLog('trace', { write: (line) => void lines.push(line) });

let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: DataSource;
const place = { table: 'device_account', column: 'sealed_password', rowId: 'a' };

async function load(env: Record<string, string>): Promise<Secrets> {
  const secrets = new Secrets(await readRootKeys(readConfig({ DATA_DIR: dir, ...env }), log, null));
  await secrets.load(db);
  return secrets;
}

function rotate(secrets: Secrets) {
  const clock = new FakeClock();
  const rotation = new KeyRotation(db, secrets, clock);
  return rotation.start('root_key', systemActor('test'), async () => undefined);
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-transit-'));
  database = await freshDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
beforeEach(async () => {
  if (server) server.close();
  engine = await startEngine();
  await db.query('truncate data_key, secret_holder cascade');
});
afterAll(async () => {
  server.close();
  await db.destroy();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

describe('a root key in a transit server', () => {
  const transit = () => ({ TRANSIT_URL: `${engine.url}/v1/transit/keys/fleetgate`, TRANSIT_TOKEN: TOKEN });

  it('wraps the data keys, bound to their rows, and makes no file', async () => {
    const sealed = (await load(transit())).seal('sesame', place);
    expect((await load(transit())).open(sealed, place)).toBe('sesame');
    const rows = await db.query<{ id: string; root_key_id: string; wrapped: Buffer }[]>('select * from data_key');
    expect(rows.map(({ root_key_id }) => root_key_id)).toEqual(Array(2).fill('transit:transit/fleetgate:v1'));
    expect(rows[0]!.wrapped.toString()).toMatch(/^vault:v1:/);
    // The wrapped key of one row in another one does not open.
    await db.query('update data_key set wrapped = $1', [rows[0]!.wrapped]);
    await expect(load(transit())).rejects.toThrow(/did not use transit:transit\/fleetgate: HTTP 400/);
  });

  it('is waited for no longer than ten seconds, though it answers byte by byte', async () => {
    const ends = holdEnds(10_000);
    try {
      engine.drips = true;
      const loading = load(transit()).catch((error: Error) => error.message);
      await until(() => engine.requests.length > 0);
      ends.come();
      expect(await loading).toContain('did not');
    } finally {
      ends.restore();
      server.closeAllConnections();
    }
  });

  it('takes over from a local key, and gives back to one', async () => {
    const local = { FLEETGATE_KEY: randomBytes(32).toString('base64') };
    const sealed = (await load(local)).seal('sesame', place);
    await db.query('delete from secret_holder');
    expect((await rotate(await load({ ...local, ...transit() }))).done).toBe(2);
    expect((await load(transit())).open(sealed, place)).toBe('sesame');
    const next = randomBytes(32).toString('base64');
    await db.query('delete from secret_holder');
    expect((await rotate(await load({ ...transit(), FLEETGATE_KEY_NEXT: next }))).done).toBe(2);
    expect((await load({ FLEETGATE_KEY: next })).open(sealed, place)).toBe('sesame');
  });

  it('is followed to its next version', async () => {
    const secrets = await load(transit());
    await expect(rotate(secrets)).rejects.toMatchObject({ code: 'rotation_needless' });
    engine.rotate();
    expect((await rotate(secrets)).done).toBe(2);
    const rows = await db.query<{ root_key_id: string }[]>('select distinct root_key_id from data_key');
    expect(rows).toEqual([{ root_key_id: 'transit:transit/fleetgate:v2' }]);
  });

  it('is asked with the token that its file holds at the time', async () => {
    const file = path.join(dir, 'token');
    await writeFile(file, 'an old one');
    const env = { TRANSIT_URL: `${engine.url}/v1/transit/keys/fleetgate`, TRANSIT_TOKEN_FILE: file };
    await expect(load(env)).rejects.toThrow(/HTTP 403/);
    await writeFile(file, `${TOKEN}\n`);
    await expect(load(env)).resolves.toBeDefined();
  });

  it('says what the matter is when the server refuses or is away, without token and without key', async () => {
    await load(transit());
    for (const prepare of [() => (engine.isAway = true), () => server.close(), () => server.closeAllConnections()]) {
      prepare();
      const error: unknown = await load(transit()).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/The transit server did not use transit:transit\/fleetgate: (HTTP 503|ECONN)/);
      log.error(errorFields(error), 'failed');
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(TOKEN);
    }
    expect(lines.join('')).toContain('The transit server did not use');
    expect(lines.join('')).not.toContain(TOKEN);
  });

  it('says the reason of the server, without what the server repeats', async () => {
    await load(transit());
    engine.isAway = true;
    await expect(load(transit())).rejects.toThrow(': HTTP 503: Vault is sealed');
    engine.isAway = false;
    engine.echoes = true;
    const error: unknown = await load(transit()).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/: HTTP 400: cannot use … with … of vault $/);
    expect(String(error)).not.toContain(TOKEN);
    engine.echoes = false;
  });
});
