import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { Witnesses } from '../../src/audit/log/witnesses.js';
import { parseCheckpoint, splitNotes, type Checkpoint } from '../../src/merkle-log/checkpoint.js';
import { isConsistent } from '../../src/merkle-log/merkle.js';
import { formatVerifierKey, publicKeyBytes } from '../../src/merkle-log/signed-note.js';
import { openAuditWorld, type AuditWorld } from './audit-world.js';

/* Witnesses keep what the log has signed; a web witness takes only what contains what it saw before. */

let world: AuditWorld;
let folder: string;

beforeEach(async () => {
  world = await openAuditWorld();
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-witness-'));
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

function witnesses(settings: { file?: string; url?: string; key?: string }) {
  return new Witnesses(world.db, world.clock, pino({ level: 'silent' }), {
    AUDIT_WITNESS_FILE: settings.file,
    AUDIT_WITNESS_URL: settings.url,
    AUDIT_WITNESS_KEY: settings.key,
    AUDIT_WITNESS_SECONDS: 300,
  });
}

/** A witness as C2SP tlog-witness describes it: it remembers one checkpoint, and cosigns those that contain it. */
class TestWitness {
  readonly asked: { old: number; status: number }[] = [];
  readonly key: string;
  seen: Checkpoint | null = null;
  isAway = false;
  private readonly name = 'witness.example/w';
  private readonly keys = generateKeyPairSync('ed25519');
  private readonly server: Server;

  constructor() {
    const publicKey = publicKeyBytes(this.keys.privateKey);
    this.key = formatVerifierKey({ name: this.name, publicKey, isWitness: true });
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { status, body } = this.answer(Buffer.concat(chunks).toString());
        response.writeHead(status).end(body);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/add-checkpoint`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(text: string): { status: number; body: string } {
    const cut = text.indexOf('\n\n');
    const [head, ...proof] = text.slice(0, cut).split('\n');
    const old = Number(/^old (\d+)$/.exec(head ?? '')?.[1]);
    const { checkpoint, note } = parseCheckpoint(text.slice(cut + 2))!;
    const reply = (status: number, body = '') => {
      this.asked.push({ old, status });
      return { status, body };
    };
    if (this.isAway) return reply(503);
    if (old !== (this.seen?.size ?? 0)) return reply(409, `${this.seen?.size ?? 0}\n`);
    const hashes = proof.map((line) => Buffer.from(line, 'base64'));
    if (this.seen && !isConsistent(this.seen, checkpoint, hashes)) return reply(422);
    this.seen = checkpoint;
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(1_772_438_400n);
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime 1772438400\n${note.text}`), this.keys.privateKey);
    const keyId = Buffer.from(this.key.split('+')[1]!, 'hex');
    return reply(200, `— ${this.name} ${Buffer.concat([keyId, time, signature]).toString('base64')}\n`);
  }
}

const grow = async (count: number) => {
  await world.act(count);
  await world.sequencer.catchUp();
};

describe('the file of a witness', () => {
  it('gets each checkpoint once, on its interval, and shows a roll-back of all the database', async () => {
    const file = path.join(folder, 'checkpoints');
    const witness = witnesses({ file });
    await grow(2);
    await witness.sweep();
    await grow(2);
    await witness.sweep();
    expect(splitNotes(await readFile(file, 'utf8'))).toHaveLength(1);
    world.clock.pass(300_000);
    await witness.sweep();
    await witness.sweep();
    const witnessed = splitNotes(await readFile(file, 'utf8'));
    expect(witnessed.map((note) => parseCheckpoint(note)?.checkpoint.size)).toEqual([4, 8]);
    expect((await world.verify({ witnessed })).findings).toEqual([]);

    for (const table of ['leaf', 'entry', 'outcome', 'checkpoint'])
      await world.owner.query(`delete from audit_${table}`);
    await world.act(1);
    const { findings } = await world.verify({ witnessed });
    expect(findings.map(({ kind }) => kind)).toContain('rolled_back');
  });
});

describe('a web witness', () => {
  let server: TestWitness;
  let url: string;

  beforeEach(async () => {
    server = new TestWitness();
    url = await server.start();
  });
  afterEach(() => server.stop());

  it('is shown that each checkpoint contains the one before, and its cosignature is kept', async () => {
    const witness = witnesses({ url, key: server.key });
    for (const count of [1, 3, 7]) {
      await grow(count);
      world.clock.pass(300_000);
      await witness.sweep();
    }
    expect(server.asked).toEqual([
      { old: 0, status: 200 },
      { old: 2, status: 200 },
      { old: 8, status: 200 },
    ]);
    expect(await world.db.query('select size::int, answer from audit_witness')).toEqual([
      { size: 22, answer: expect.stringMatching(/^— witness\.example\/w /) },
    ]);
  });

  it('is asked again when it was away, and from where it stands when it knows more than we remember', async () => {
    const witness = witnesses({ url });
    await grow(2);
    server.isAway = true;
    await witness.sweep();
    await witness.sweep(); // too soon
    server.isAway = false;
    world.clock.pass(1_000);
    await witness.sweep();
    expect(server.asked.map(({ status }) => status)).toEqual([503, 200]);
    await world.owner.query('delete from audit_witness');
    await grow(1);
    await witness.sweep();
    expect(server.asked.slice(2)).toEqual([
      { old: 0, status: 409 },
      { old: 4, status: 200 },
    ]);
  });

  it('does not take a history that is not the one it saw, and that is not passed over', async () => {
    const witness = witnesses({ url });
    await grow(3);
    await witness.sweep();
    server.seen = { ...server.seen!, root: Buffer.alloc(32, 9) };
    await grow(1);
    world.clock.pass(300_000);
    await witness.sweep();
    expect(server.asked.at(-1)).toEqual({ old: 6, status: 422 });
    expect(await world.db.query('select size::int from audit_witness')).toEqual([{ size: 6 }]);
  });

  it('counts for nothing when it cosigns with another key than the one that is expected', async () => {
    const other = new TestWitness();
    await grow(1);
    await witnesses({ url, key: other.key }).sweep();
    expect(await world.db.query('select from audit_witness')).toEqual([]);
  });
});
