import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRetention } from '../../src/audit/log/retention.js';
import { ExportCheck } from '../../src/merkle-log/export-check.js';
import { isConsistent } from '../../src/merkle-log/merkle.js';
import { MerkleStore } from '../../src/audit/log/merkle-store.js';
import { parseTile, Tiles } from '../../src/audit/log/tiles.js';
import { openCheckpoint } from '../../src/merkle-log/checkpoint.js';
import { systemActor } from '../../src/platform/actor.js';
import { copyOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { openAuditWorld, type AuditWorld } from './audit-world.js';
import { mirrorOf } from './tile-mirror.js';
import { itInFull } from '../support/forms.js';

/* Old entries leave the database by whole segments, and what is left is proved as before. */

const DAY_MS = 86_400_000;

/** Of 9,000 entries: two whole segments, and some. Each test has a copy. */
let history: TestDatabase;
let world: AuditWorld;
let folder: string;

beforeAll(async () => {
  history = await freshDatabase();
  world = await openAuditWorld({ ...history, drop: () => Promise.resolve() });
  await grow(9_000);
  await world.close();
});
afterAll(() => history.drop());
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-archive-'));
  world = await openAuditWorld(await copyOf(new URL(history.url).pathname.slice(1)), new FakeClock(), folder);
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function grow(entries: number): Promise<void> {
  await world.owner.query(
    `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
     select gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /' || number from generate_series(1, $2::int) as number`,
    [world.clock.now(), entries],
  );
  await world.sequencer.catchUp();
}

const retention = (ownerUrl = world.url) =>
  new AuditRetention(
    world.db,
    world.audit,
    world.clock,

    { ownerUrl },
    {
      AUDIT_RETENTION_DAYS: 30,
      AUDIT_ARCHIVE_DIR: folder,
      DATA_DIR: folder,
    },
  );

const count = async (table: string) =>
  (await world.db.query<{ count: number }[]>(`select count(*)::int as count from ${table}`))[0]!.count;

describe('retention', () => {
  it('archives whole segments that are old enough, and the log is proved without them', async () => {
    const { verifier } = await world.log.key();
    const [before] = await world.db.query<{ note: string }[]>('select note from audit_checkpoint');
    world.clock.pass(29 * DAY_MS);
    expect(await retention().sweep()).toEqual({ archived: 0 });
    world.clock.pass(2 * DAY_MS);
    expect(await retention().sweep()).toEqual({ archived: 2 });
    expect(await count('audit_entry')).toBe(9_000 - 8_192 + 2); // and that it was archived, twice
    await world.act(3);
    await world.sequencer.catchUp();
    const { findings, summary } = await world.verify({ witnessed: [before!.note] });
    expect(findings).toEqual([]);
    expect(summary).toMatchObject({ holds: true, archived: 8_192, leaves: 9_010 });
    const old = openCheckpoint(before!.note, verifier)!;
    const store = new MerkleStore(world.db.manager);
    const now = { size: 9_010, root: await store.root(9_010) };
    expect(isConsistent(old, now, await store.consistency(old.size, 9_010))).toBe(true);
  });

  it('leaves the log to those who mirror it, and says which file they lack', async () => {
    world.clock.pass(31 * DAY_MS);
    await retention().sweep();
    await world.act(3);
    await world.sequencer.catchUp();
    const tiles = new Tiles(world.db, { AUDIT_ARCHIVE_DIR: folder, DATA_DIR: folder });
    const read = async (address: string) => {
      const [, level, end] = /^tile\/(\w+)\/(.*)$/.exec(address) ?? [];
      if (!level) return Buffer.from(await tiles.checkpoint());
      return level === 'entries' ? tiles.entries(parseTile(end!)) : tiles.hashes(Number(level), parseTile(end!));
    };
    const { size, entries } = await mirrorOf(read, await world.log.verifierKey());
    expect([size, entries.length]).toEqual([9_010, 9_010]);
    await appendFile(path.join(folder, 'segment-000000001.ndjson'), ' ');
    await expect(read('tile/0/016')).rejects.toMatchObject({
      code: 'audit_archive_unreadable',
      facts: { fileName: 'segment-000000001.ndjson' },
    });
    expect((await read('tile/0/015')).length).toBe(256 * 32);
  });

  it('says that the disk of the archive is full, leaves no draft, and archives once there is room', async () => {
    world.clock.pass(31 * DAY_MS);
    await symlink('/dev/full', path.join(folder, 'segment-000000000.ndjson.draft'));
    await expect(retention().sweep()).rejects.toMatchObject({ code: 'disk_full' });
    expect(await readdir(folder)).toEqual([]);
    expect(await retention().sweep()).toEqual({ archived: 2 });
  });

  it('writes files that prove themselves with the key of the log, and remembers their digests', async () => {
    world.clock.pass(31 * DAY_MS);
    await retention().sweep();
    const names = (await readdir(folder)).sort();
    expect(names).toEqual(['segment-000000000.ndjson', 'segment-000000001.ndjson']);
    const rows = await world.db.query<{ file_name: string; file_sha256: Buffer }[]>(
      'select * from audit_segment order by number',
    );
    for (const { file_name: name, file_sha256: digest } of rows) {
      const text = await readFile(path.join(folder, name), 'utf8');
      expect(createHash('sha256').update(text).digest()).toEqual(digest);
      const check = new ExportCheck(await world.log.verifierKey());
      for (const line of text.trimEnd().split('\n')) check.take(line);
      expect(check.problem()).toBeNull();
      expect(text.split('\n').filter((line) => line.startsWith('{"v": 1'))).toHaveLength(4_096);
    }
  });

  it('takes nothing from the database when the removal fails, and does it all at the next try', async () => {
    world.clock.pass(31 * DAY_MS);
    await world.owner.query(
      `create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
       create trigger refuse before delete on audit_leaf for each row execute function refuse()`,
    );
    await expect(retention().sweep()).rejects.toThrow('no');
    expect([await count('audit_entry'), await count('audit_segment')]).toEqual([9_000, 0]);
    await world.owner.query('drop trigger refuse on audit_leaf');
    expect(await retention().sweep()).toEqual({ archived: 2 });
    expect((await world.verify()).findings).toEqual([]);
  });

  it('removes no segment without the entry that says so', async () => {
    world.clock.pass(31 * DAY_MS);
    await world.owner.query(
      `create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
       create trigger refuse before insert on audit_entry for each row when (new.action = 'audit.archive')
         execute function refuse()`,
    );
    await expect(retention().sweep()).rejects.toThrow('no');
    expect([await count('audit_entry'), await count('audit_segment')]).toEqual([9_000, 0]);
  });

  it('keeps a segment that does not hold, for people to look at', async () => {
    world.clock.pass(31 * DAY_MS);
    await world.owner.query(
      `update audit_entry set subject = 'x' where id = (select row_id from audit_leaf where sequence = 77)`,
    );
    await expect(retention().sweep()).rejects.toThrow(/between 0 and 4096 is damaged/);
    expect(await count('audit_entry')).toBe(9_000);
  });

  it('is found out when the record of a segment is forged or taken away', async () => {
    world.clock.pass(31 * DAY_MS);
    await retention().sweep();
    await world.owner.query(`update audit_segment set root = sha256('x') where number = 1`);
    expect((await world.verify()).findings).toMatchObject([
      { kind: 'segment_altered', sequence: 4_096, through: 8_191 },
    ]);
    await world.owner.query('delete from audit_segment where number = 0');
    expect((await world.verify()).findings[0]).toMatchObject({ kind: 'segment_altered', sequence: 0 });
  });

  /** Deletes the first segment as the owner of the database can, with a record that says it was archived. */
  async function passOffAsArchived(): Promise<{ root: Buffer; file: string; sha256: string }> {
    const root = await new MerkleStore(world.db.manager).subtree(12, 0);
    const [file, sha256] = ['segment-000000000.ndjson', 'ab'.repeat(32)];
    await world.owner.query(
      `insert into audit_segment (number, first, last, root, file_name, file_sha256, archived_at)
       values (0, 0, 4095, $1, $2, decode($3, 'hex'), now())`,
      [root, file, sha256],
    );
    await world.owner.query(
      'delete from audit_entry where id in (select row_id from audit_leaf where sequence < 4096)',
    );
    await world.owner.query('delete from audit_leaf where sequence < 4096');
    return { root, file, sha256 };
  }
  const isMissed = [{ kind: 'segment_altered', sequence: 0, through: 4_095 }];

  it('is not what the deletion of rows by hand passes for, with the folder of the archive or without it', async () => {
    await passOffAsArchived();
    expect((await world.verify()).findings).toMatchObject(isMissed);
    await rm(folder, { recursive: true });
    expect((await world.verify()).findings).toMatchObject(isMissed);
  });

  it('is not what a deletion passes for with an entry that says so, where the folder of the archive is', async () => {
    const { root, file, sha256 } = await passOffAsArchived();
    const facts = { first: 0, last: 4_095, root: root.toString('base64'), file, sha256 };
    await world.audit.record(world.owner.manager, {
      actor: systemActor('retention'),
      action: 'audit.archive',
      subject: 'audit_segment:0',
      facts,
    });
    await world.sequencer.catchUp();
    expect((await world.verify()).findings).toMatchObject(isMissed);
    await rm(folder, { recursive: true });
    expect((await world.verify()).findings).toEqual([]); // the limit that docs/explanation/audit.md names
  });

  it('is found out when a file of it was altered, deleted or exchanged', async () => {
    world.clock.pass(31 * DAY_MS);
    await retention().sweep();
    await appendFile(path.join(folder, 'segment-000000001.ndjson'), '{}\n');
    expect((await world.verify()).findings).toMatchObject([
      { kind: 'segment_altered', sequence: 4_096, through: 8_191 },
    ]);
    await rm(path.join(folder, 'segment-000000000.ndjson'));
    expect((await world.verify()).findings.map(({ sequence }) => sequence)).toEqual([0, 4_096]);
    await world.owner.query(
      'update audit_segment set file_name = first.file_name from audit_segment first where first.number = 0',
    );
    expect((await world.verify()).findings.map(({ sequence }) => sequence)).toEqual([0, 4_096]);
  });

  itInFull('finds the entries of old segments in the files of later ones', async () => {
    world.clock.pass(31 * DAY_MS);
    await retention().sweep();
    await grow(8_000);
    world.clock.pass(31 * DAY_MS);
    expect(await retention().sweep()).toEqual({ archived: 2 });
    await world.sequencer.catchUp();
    const entries = await world.db.query<unknown[]>(`select subject from audit_entry where action = 'audit.archive'`);
    expect(entries).toEqual([{ subject: 'audit_segment:2' }, { subject: 'audit_segment:3' }]);
    expect(await world.verify()).toMatchObject({ findings: [], summary: { archived: 4 * 4_096 } });
    await world.owner.query(`update audit_segment set file_sha256 = sha256('x') where number = 0`);
    expect((await world.verify()).findings).toMatchObject(isMissed);
    // Nothing is left to compare with.
    await rm(folder, { recursive: true });
    expect((await world.verify()).findings).toEqual([]);
    await world.owner.query(`update audit_segment set file_sha256 = sha256('x') where number = 2`);
    expect((await world.verify()).findings).toMatchObject([{ kind: 'segment_altered', sequence: 8_192 }]);
  });

  it.each(['delete from audit_leaf', 'delete from audit_segment', `insert into audit_segment default values`])(
    'is not for the role of the application: %s',
    async (statement) => {
      await expect(world.db.query(statement)).rejects.toThrow(/permission denied/);
    },
  );
});
