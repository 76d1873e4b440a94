import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { MIGRATIONS } from '../../migrations/index.js';
import { TestApi } from '../support/test-api.js';
import { ArchiveWriter } from '../../src/installation/archive-writer.js';
import { backUp } from '../../src/installation/backup.js';
import { ProgressLine } from '../../src/installation/progress.js';
import { checkBackup, restore } from '../../src/installation/restore.js';
import { readConfig } from '../../src/platform/config.js';
import { prepareDatabase } from '../../src/database/database.js';
import { copyOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { startBeside } from '../support/gateway.js';
import { type JobView, type KindWorld, startKindWorld } from '../support/jobs/kind-world.js';
import { makeEarly } from '../support/early-schema.js';

const progress = new ProgressLine({ write: () => true });

/** A key of 32 bytes that no installation here has. */
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');

/** Rows that take more than one part, of a server whose transactions are far ahead of those of a new one. */
async function seedLargeTable(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into event (tx, type, subject, data)
     select '5000000'::xid8, 'device.online', 'device:' || n, jsonb_build_object('digest', repeat(md5(n::text), 8000))
       from generate_series(1, 20) as n`,
  );
  await client.end();
}

/** An open alert of which a receiver was not told yet, and a notification that waits. */
async function seedNotifications(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into alert_rule (id, name, selector, for_seconds, clear_after_seconds, severity, enabled, created_by, created_by_name,
                             created_at, version)
     values (gen_random_uuid(), 'offline', 'state:offline', 0, 0, 'info', false, 'session:x', 'Nora', now(), 1);
     insert into alert (rule_id, device_id, state, matched_at, opened_at)
     select alert_rule.id, device.id, 'open', now(), now() from alert_rule, device limit 1;
     insert into webhook_delivery (webhook_id, type, message, due_at, created_at)
     select id, 'rule.notified', '{}', now(), now() from webhook`,
  );
  await client.end();
}

describe('backup and restore of an installation', () => {
  let world: KindWorld;
  let folder: string;
  let file: string;
  let keyFile: string;
  let job: JobView;
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-installation-'));
    await chmod(folder, 0o711); // as root the embedded server runs as another user
    [file, keyFile] = [path.join(folder, 'fleet.tar.gz'), path.join(folder, 'copy.key')];
    world = await startKindWorld({ devices: 2, profile: 'rutos', family: 'RUTX50', seed: 3 }, { REDIS_URL: '' });
    job = await world.ended(await world.start(0, 'backup'));
    await seedLargeTable(world.gateway.databaseUrl);
    await world.gateway.api.post('/v1/webhooks', {
      name: 'chat',
      url: 'http://127.0.0.1:9/',
      types: ['rule.notified'],
      enabled: false,
    });
    await seedNotifications(world.gateway.databaseUrl);
    await world.gateway.api.send('PUT', '/v1/selectors/pumps', { selector: 'tag:pump', description: 'a\tb\\n' });
    await backUp({ config: readConfig(world.gateway.env), file, rootKeyFile: keyFile, progress });
  });

  afterAll(async () => {
    await world.close();
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function emptyDatabase(): Promise<string> {
    const database = await freshDatabase();
    databases.push(database);
    return database.url;
  }
  const target = async (env: Record<string, string>) =>
    readConfig({ DATA_DIR: await mkdtemp(path.join(folder, 'target-')), ...env });
  /** Where the backup of a database was restored. */
  const restored = async (source: TestDatabase): Promise<string> => {
    const [empty, older] = [
      await copyOf('template1'),
      path.join(await mkdtemp(path.join(folder, 'older-')), 'a.tar.gz'),
    ];
    databases.push(empty);
    await backUp({ config: await target({ DATABASE_URL: source.url }), file: older, progress });
    await restore({ config: await target({ DATABASE_URL: empty.url }), file: older, progress });
    return empty.url;
  };
  const migrated = (url: string) => count(url, 'select count(*) from migrations');
  const count = async (url: string, sql: string): Promise<number> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return Number((await client.query<{ count: string }>(sql)).rows[0]!.count);
    } finally {
      await client.end();
    }
  };
  /** The archive with bytes that somebody changed after it was made. */
  async function altered(name: string, change: (tar: Buffer) => Buffer): Promise<string> {
    const other = path.join(folder, name);
    await writeFile(other, gzipSync(change(gunzipSync(await readFile(file)))));
    return other;
  }

  it('notes that it was made', async () => {
    const noted = 'select count(*) from installation_backup where bytes > 0';
    expect(await count(world.gateway.databaseUrl, noted)).toBe(1);
  });

  it('brings an installation back into an empty folder, where the audit verifies and devices answer', async () => {
    const dataDir = path.join(folder, 'restored');
    const { proof, contents } = await restore({
      config: readConfig({ DATA_DIR: dataDir }),
      file,
      rootKeyFile: keyFile,
      progress,
    });
    expect(proof).toMatchObject({ findings: [], summary: { holds: true } });
    expect(contents.rows['device']).toBe(2);
    expect((await stat(path.join(dataDir, 'root.key'))).mode & 0o077).toBe(0);

    const gateway = await startBeside({ DATA_DIR: dataDir, DEVICE_ALLOW_LOOPBACK: 'true' });
    try {
      const api = new TestApi({ url: gateway.url, key: world.gateway.keys.administrator });
      const names = async (of: TestApi) =>
        (await of.get<{ items: { id: string; name: string }[] }>('/v1/devices')).items.map(({ id, name }) => [
          id,
          name,
        ]);
      expect(await names(api)).toEqual(await names(world.gateway.api));
      const artifact = `/v1/artifacts/${String(job.result!['artifactId'])}/content`;
      expect(await api.bytes(artifact)).toEqual(await world.gateway.api.bytes(artifact));

      // Sealed credentials open: the device lets the restored gateway in.
      const status = `/v1/devices/${world.ids[1]}/api/system/device/status`;
      expect(await api.get(status)).toMatchObject({ success: true });
      const write = { data: { enabled: '1' } };
      await expect(api.send('PUT', `/v1/devices/${world.ids[1]}/api/ntp/global`, write)).rejects.toMatchObject({
        code: 'locked',
      });
      const { items } = await api.get<{ items: { id: string; kind: string; reason: string }[] }>('/v1/locks');
      expect(items).toMatchObject([
        { kind: 'writes', reason: expect.stringMatching(/^Restored from the backup of 2/) },
      ]);
      await api.send('DELETE', `/v1/locks/${items[0]!.id}`);

      // The restored log goes on, on its new server, and still verifies.
      const lines: { type: string; holds?: boolean }[] = [];
      for await (const line of api.lines<(typeof lines)[number]>('POST', '/v1/audit/verify', {})) lines.push(line);
      expect(lines.at(-1)).toMatchObject({ type: 'summary', holds: true });

      const again = path.join(folder, 'again.tar.gz');
      const made = await backUp({ config: readConfig({ DATA_DIR: dataDir }), file: again, progress });
      expect(made).toMatchObject({ artifacts: 1, missingArtifacts: [] });
      expect((await checkBackup(again)).contents.rows['device']).toBe(2);
    } finally {
      await gateway.close();
    }
    await expect(restore({ config: readConfig({ DATA_DIR: dataDir }), file, progress })).rejects.toThrow('not empty');
  });

  it('is a file for its owner alone, without the root key, and never overwrites one', async () => {
    expect((await stat(file)).mode & 0o077).toBe(0);
    const key = (await readFile(keyFile, 'utf8')).trim();
    expect(gunzipSync(await readFile(file)).includes(key)).toBe(false);
    const config = readConfig(world.gateway.env);
    await expect(backUp({ config, file, progress })).rejects.toThrow('already exists');
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('refuses a database on which a gateway works', async () => {
    const config = await target({ DATABASE_URL: world.gateway.databaseUrl });
    await expect(restore({ config, file, progress })).rejects.toThrow('A gateway uses this database');
  });

  it('restores all of a backup or nothing: an altered or cut file leaves the database empty', async () => {
    const url = await emptyDatabase();
    const config = await target({ DATABASE_URL: url });
    const name = Buffer.from(world.fleet.devices[0]!.name);
    const lie = await altered('lie.tar.gz', (tar) => {
      tar[tar.indexOf(name, tar.indexOf('tables/device/'))]! ^= 1;
      return tar;
    });
    const cut = await altered('cut.tar.gz', (tar) => tar.subarray(0, tar.lastIndexOf('contents.json')));
    await expect(restore({ config, file: lie, progress })).rejects.toThrow(
      'tables/device/000000 was changed after the backup',
    );
    await expect(restore({ config, file: cut, progress })).rejects.toThrow(/was cut|is damaged/);
    await expect(checkBackup(lie)).rejects.toThrow('is damaged');
    const half = path.join(folder, 'half.tar.gz');
    await writeFile(half, (await readFile(file)).subarray(0, 4_096));
    await expect(restore({ config, file: half, progress })).rejects.toThrow('is damaged, or not a backup');
    // In the middle of the rows of a table: what is on its way into the database is given up.
    await writeFile(half, (await readFile(file)).subarray(0, Math.round((await stat(file)).size * 0.6)));
    await expect(restore({ config, file: half, progress })).rejects.toThrow('is damaged, or not a backup');
    expect(await count(url, 'select count(*) from operator')).toBe(0);

    await restore({ config, file, rootKeyFile: keyFile, progress });
    expect(await count(url, 'select count(*) from operator')).toBeGreaterThan(0);
    const ahead = 'select count(*) from event where tx > pg_current_xact_id()';
    expect(await count(url, ahead)).toBe(0); // streams and webhooks find what comes next
    // Receivers are told what changes from here on, and nothing old.
    expect(await count(url, 'select count(*) from webhook_delivery')).toBe(0);
    expect(await count(url, 'select count(*) from alert_told')).toBe(1);
    const late = "select count(*) from alert where state = 'open' and forwarded_at > now() + interval '10 minutes'";
    expect(await count(url, late)).toBe(1);
    const foreignKeys = "select count(*) from pg_constraint where contype = 'f'";
    expect(await count(url, foreignKeys)).toBe(await count(world.gateway.databaseUrl, foreignKeys));
    const silent = `select count(*) from pg_trigger where not tgisinternal and tgenabled = 'D'`;
    expect(await count(url, silent)).toBe(0);
  });

  it('refuses another root key before anything is written, and says when none is there', async () => {
    const url = await emptyDatabase();
    const wrong = await target({ DATABASE_URL: url, FLEETGATE_KEY: OTHER_KEY });
    await expect(restore({ config: wrong, file, progress })).rejects.toThrow('need the root key');
    expect(await count(url, 'select count(*) from operator')).toBe(0);
    const config = await target({ DATABASE_URL: url });
    const { proof, trouble } = await restore({ config, file, progress });
    expect(proof).toBeNull();
    expect(trouble).toContain(`Copy it to ${path.join(config.DATA_DIR, 'root.key')}, or set FLEETGATE_KEY`);
  });

  it('brings the backup of an older version to the schema of this one', async () => {
    const old = await copyOf('template1');
    databases.push(old);
    await prepareDatabase(old.url, old.url, new Set(MIGRATIONS.slice(0, -1).map((migration) => migration.name)));
    expect(await migrated(await restored(old))).toBe(MIGRATIONS.length);
  });

  it('refuses the backup of a database of before the first release', async () => {
    const early = await freshDatabase();
    databases.push(early);
    await makeEarly(early.url, 'ArtifactForms1795662000000');
    await expect(restored(early)).rejects.toThrow(/before the first release.*a backup with such a schema/s);
  });

  it('refuses the backup of a newer version, and names that version', async () => {
    const newer = path.join(folder, 'newer.tar.gz');
    const writer = await ArchiveWriter.create(newer);
    const manifest = {
      product: 'fleetgate',
      format: 1,
      version: '9.1.0',
      madeAt: new Date(0).toISOString(),
      migrations: ['Tomorrow9999999999999'],
      rootKeys: [],
      tables: [{ name: 'device', columns: ['id'] }],
      hasArtifacts: true,
    };
    await writer.add('manifest.json', JSON.stringify(manifest));
    await writer.add('contents.json', JSON.stringify({ entries: [], rows: {}, sequences: [], missingArtifacts: [] }));
    await writer.finish();
    const config = await target({ DATABASE_URL: await emptyDatabase() });
    await expect(restore({ config, file: newer, progress })).rejects.toThrow(
      'Restore it with Fleetgate 9.1.0 or newer',
    );
  });

  it('backs the root key up that its secrets need, and makes none', async () => {
    const { DATA_DIR: _own, ...env } = world.gateway.env;
    const elsewhere = { ...env, DATA_DIR: await mkdtemp(path.join(folder, 'keyless-')) };
    const options = {
      file: path.join(folder, 'keyless.tar.gz'),
      rootKeyFile: path.join(folder, 'other.key'),
      progress,
    };
    for (const config of [readConfig(elsewhere), readConfig({ ...elsewhere, FLEETGATE_KEY: OTHER_KEY })]) {
      await expect(backUp({ config, ...options })).rejects.toThrow('the settings name none of them');
    }
    expect(await readdir(elsewhere.DATA_DIR)).toEqual([]);
    const key = (await readFile(keyFile, 'utf8')).trim();
    const rotating = readConfig({ ...elsewhere, FLEETGATE_KEY: OTHER_KEY, FLEETGATE_KEY_NEXT: key });
    await backUp({ config: rotating, ...options });
    expect((await readFile(options.rootKeyFile, 'utf8')).trim()).toBe(key);
  });

  it('backs up archived segments of the audit, names those that are gone, and overwrites none', async () => {
    const archive = await mkdtemp(path.join(folder, 'archive-'));
    const bytes = '{"proof":"of a segment"}\n';
    const client = new Client({ connectionString: world.gateway.databaseUrl });
    await client.connect();
    try {
      await client.query(
        `insert into audit_segment (number, first, last, root, file_name, file_sha256, archived_at)
         select n, n * 4096, n * 4096 + 4095, sha256('root'), 'segment-' || n || '.ndjson', sha256($1::bytea), now()
           from generate_series(0, 1) as n`,
        [Buffer.from(bytes)],
      );
      await writeFile(path.join(archive, 'segment-0.ndjson'), bytes);
      const config = readConfig({ ...world.gateway.env, AUDIT_ARCHIVE_DIR: archive });
      const segments = path.join(folder, 'segments.tar.gz');
      expect(await backUp({ config, file: segments, progress })).toMatchObject({
        missingSegments: ['segment-1.ndjson'],
      });

      const taken = await mkdtemp(path.join(folder, 'taken-'));
      await writeFile(path.join(taken, 'segment-0.ndjson'), 'the only copy of another');
      const url = await emptyDatabase();
      const wrong = await target({ DATABASE_URL: url, AUDIT_ARCHIVE_DIR: taken });
      await expect(restore({ config: wrong, file: segments, progress })).rejects.toThrow('with other bytes');
      expect(await readFile(path.join(taken, 'segment-0.ndjson'), 'utf8')).toBe('the only copy of another');
      expect(await readdir(taken)).toEqual(['segment-0.ndjson']);
      const right = await target({ DATABASE_URL: url });
      await restore({ config: right, file: segments, progress });
      expect(await readFile(path.join(right.DATA_DIR, 'audit', 'segment-0.ndjson'), 'utf8')).toBe(bytes);
    } finally {
      await client.query('delete from audit_segment');
      await client.end();
    }
  });

  it('names artifacts whose bytes are gone, and backs up the rest', async () => {
    const lost = await world.keep(Buffer.from('bytes that will be lost'), { kind: 'file' });
    await rm(path.join(world.gateway.dataDir, 'artifacts', lost.sha256.slice(0, 2), lost.sha256));
    const partly = path.join(folder, 'partly.tar.gz');
    const made = await backUp({ config: readConfig(world.gateway.env), file: partly, progress });
    expect(made).toMatchObject({ artifacts: 1, missingArtifacts: [lost.sha256] });
  });
});
