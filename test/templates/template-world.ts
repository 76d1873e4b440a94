import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { type Clock } from '../../src/platform/clock.js';
import { canonicalBody } from '../../src/templates/observed/sections.js';
import { ObservedBodies } from '../../src/templates/observed/observed-bodies.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* A gateway with devices that nothing reads: a test says what watches have read of them. */

export interface TemplateWorld extends TestGateway {
  readonly db: DataSource;
  /** Adds devices by name. */
  add(devices: readonly { name: string; site: string; fields?: object }[]): Promise<void>;
  /** What a watch has read of the devices of a site; an error in its place. */
  observe(site: string, path: string, body: unknown, error?: string): Promise<void>;
}

export async function startTemplateWorld(clock?: Clock): Promise<TemplateWorld> {
  const gateway = await startTestGateway({ ROLE: 'api' }, clock);
  const { app } = gateway.gateway;
  const db = app.get(DataSource);
  return {
    ...gateway,
    db,
    async add(devices) {
      const rows = devices.map((device) => ({ fields: {}, ...device, id: randomUUID() }));
      await db.query(
        `insert into device (id, name, base_url, site, fields, created_at, updated_at)
         select id, name, 'https://' || id || '.example', site, fields, now(), now()
           from jsonb_to_recordset($1::jsonb) as row (id uuid, name text, site text, fields jsonb)`,
        [JSON.stringify(rows)],
      );
    },
    async observe(site, path, body, error) {
      const json = canonicalBody(body);
      const digest = ObservedBodies.digestOf(json);
      await app.get(ObservedBodies).store(db.manager, new Map([[digest, json]]));
      await db.query(
        `insert into observed (device_id, path, digest, read_at, error) select id, $2, $3, now(), $4 from device where site = $1
         on conflict (device_id, path) do update set digest = excluded.digest, error = excluded.error`,
        [site, path, digest, error ?? null],
      );
    },
  };
}
