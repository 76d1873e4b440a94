import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { Artifact } from '../../src/artifacts/artifact.entity.js';
import { ArtifactStore } from '../../src/artifacts/artifacts.js';
import { BackupContentsSweeper } from '../../src/backups/backup-contents.sweeper.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

let world: TestGateway;
let db: DataSource;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = world.gateway.app.get(DataSource);
});
afterAll(() => world.close());

/** Not looked through by the gateway's own sweep before all are there. */
async function addBackups(names: readonly string[]): Promise<string[]> {
  const rows = [];
  for (const name of names) {
    const device = { name, baseUrl: `https://${name}.example`, credentials: { username: 'admin', password: name } };
    const { id: deviceId } = await world.api.post<{ id: string }>('/v1/devices', device);
    const draft = await world.gateway.app.get(ArtifactStore).write(Readable.from([Buffer.from(name)]), 100);
    await draft.keep();
    const { sha256, bytes } = draft;
    const kind = 'backup' as const;
    rows.push({ id: randomUUID(), kind, name, deviceId, sha256, bytes, createdAt: new Date(1_000 * rows.length) });
  }
  await db.manager.insert(Artifact, rows);
  return rows.map(({ id }) => id);
}

it('a backup whose bytes cannot be read now holds up no other one, and is looked at again', async () => {
  const [oldest, newest] = await addBackups(['first', 'second']);
  const store = world.gateway.app.get(ArtifactStore);
  const [{ sha256 }] = await db.query<[{ sha256: string }]>('select sha256 from artifact where id = $1', [oldest]);
  const read = store.read.bind(store);
  let isBroken = true;
  store.read = async (digest) => {
    if (isBroken && digest === sha256) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    return read(digest);
  };
  const sweep = () => world.gateway.app.get(BackupContentsSweeper).sweep();
  const looked = async () =>
    (await db.query<{ id: string }[]>('select artifact_id as id from backup_content')).map(({ id }) => id);

  await sweep().catch(() => undefined);
  await until(async () => (await looked()).includes(newest!));
  expect(await looked()).toEqual([newest]);

  isBroken = false;
  await until(async () => {
    await sweep();
    return (await looked()).includes(oldest!);
  });
});

it('a backup says whether its settings are those of the one before of its device', async () => {
  const ids = await addBackups(['same-1', 'same-2', 'same-3']);
  await db.query(
    `update artifact set device_id = (select device_id from artifact where id = $1) where id = any ($2::uuid[])`,
    [ids[0], ids],
  );
  await db.query(
    `insert into backup_content (artifact_id, looked_at, sha256, files, failure)
     select id, now(), repeat(digit, 64), '[]', null from unnest($1::uuid[], $2::text[]) as item (id, digit)
         on conflict (artifact_id) do update set sha256 = excluded.sha256, failure = null`,
    [ids, ['a', 'a', 'b']],
  );
  const { items } = await world.api.get<{ items: { id: string; sameSettings: boolean | null }[] }>(
    '/v1/artifacts?kind=backup&device=name:same-1',
  );
  const known = new Map(items.map(({ id, sameSettings }) => [id, sameSettings]));
  expect(ids.map((id) => known.get(id))).toEqual([null, true, false]);
});

it('a backup that took processes down is not opened to be compared', async () => {
  const ids = await addBackups(['third', 'fourth']);
  await db.query(
    `insert into backup_content (artifact_id, looked_at, sha256, files, failure)
     select id, now(), null, '[]', 'three processes were lost while they opened it' from unnest($1::uuid[]) as id
         on conflict (artifact_id) do update set failure = excluded.failure`,
    [ids],
  );
  await expect(world.api.get(`/v1/backups/diff?a=${ids[0]}&b=${ids[1]}`)).rejects.toMatchObject({
    code: 'backup_unreadable',
    problem: { why: 'three processes were lost while they opened it' },
  });
});
