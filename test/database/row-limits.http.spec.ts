import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROWS_MAX } from '../../src/database/row-limits.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* People make one row of each noun; copies of it fill the table up to its limit. */

interface Noun {
  /** Makes a row with a name. */
  readonly make: (name: string) => [method: 'POST' | 'PUT', path: string, body?: object];
  /** Columns that copies may not share, as SQL of `n`. */
  readonly own?: string;
  /** Lets all copies end, where those do not count. */
  readonly end?: string;
}

const UNTIL = new Date(Date.now() + 86_400_000).toISOString();
const NAMED = `'name', 'copy-' || n`;
const ended = (column: string) => `update $table set ${column} = now() - interval '1 hour'`;

const NOUNS: Readonly<Record<keyof typeof ROWS_MAX, Noun>> = {
  alert_rule: { make: (name) => ['POST', '/v1/monitoring/rules', { name, selector: 'site:a', enabled: false }] },
  backup_policy: {
    make: (name) => ['POST', '/v1/backups/policies', { name, selector: 'site:a', rhythm: { everySeconds: 86_400 } }],
  },
  monitoring_policy: { make: (name) => ['POST', '/v1/monitoring/policies', { name, selector: 'site:a' }] },
  mute: {
    make: (reason) => ['POST', '/v1/monitoring/mutes', { selector: 'site:a', until: UNTIL, reason }],
    end: ended('until'),
  },
  saved_selector: { make: (name) => ['PUT', `/v1/selectors/${name}`, { selector: 'site:a' }] },
  schedule: {
    make: (name) => [
      'POST',
      '/v1/schedules',
      {
        name,
        rhythm: { everySeconds: 86_400 },
        rollout: { name, kind: 'backup', selector: 'site:a' },
      },
    ],
  },
  template: {
    make: (name) => [
      'POST',
      '/v1/templates',
      {
        name,
        selector: 'site:a',
        items: [{ path: '/api/ntp/servers/config', key: { hostname: 'ntp.example' }, options: { enabled: '1' } }],
      },
    ],
  },
  watch: { make: (name) => ['POST', '/v1/watches', { name, selector: 'site:a', paths: ['/api/system/config'] }] },
  webhook: {
    make: (name) => ['POST', '/v1/webhooks', { name, url: 'https://198.51.100.7/hook', types: ['device.online'] }],
  },
  role: { make: (name) => ['PUT', `/v1/roles/${name}`, { description: '', rules: [] }] },
  operator: { make: (name) => ['POST', '/v1/operators', { name, role: 'viewer' }] },
  api_key: {
    make: (name) => ['POST', '/v1/self/api-keys', { name }],
    own: `${NAMED}, 'prefix', 'copy' || n`,
    end: `${ended('expires_at')} where name like 'copy-%'`,
  },
  lock: {
    make: (reason) => ['POST', '/v1/locks', { kind: 'selector', target: 'site:a', reason }],
    end: ended('lifted_at'),
  },
};

let world: TestGateway;
let db: pg.Client;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const countOf = async (noun: string) =>
  (await db.query<{ count: number }>(`select count(*)::int as count from ${noun}`)).rows[0]!.count;

/** Those that are stored, and not computed of others. */
const columnsOf = async (noun: string) =>
  (
    await db.query<{ columns: string }>(
      `select string_agg(column_name, ', ') as columns from information_schema.columns
        where table_name = $1 and is_generated = 'NEVER'`,
      [noun],
    )
  ).rows[0]!.columns;

describe('the largest number of what people make', () => {
  it.each(Object.entries(NOUNS) as [keyof typeof ROWS_MAX, Noun][])(
    'refuses one %s more',
    async (noun, { make, own = NAMED, end }) => {
      const { limit } = ROWS_MAX[noun];
      await world.api.send(...make('first'));
      const columns = await columnsOf(noun);
      await db.query(
        `insert into ${noun} (${columns})
         select ${columns}
           from (select (jsonb_populate_record(model, jsonb_build_object('id', gen_random_uuid(), ${own}))).*
                   from ${noun} as model, generate_series(1, $1::int) as n
                  where 'first' in (to_jsonb(model) ->> 'name', to_jsonb(model) ->> 'reason')) copies`,
        [limit - (await countOf(noun))],
      );
      await expect(world.api.send(...make('one-more'))).rejects.toMatchObject({
        status: 409,
        code: 'too_many_saved',
        problem: { noun, limit },
      });
      expect(await countOf(noun)).toBe(limit);
      const [method, path, body] = make('first');
      if (method === 'PUT') await world.api.send(method, path, body); // a change is none more
      if (end === undefined) await db.query(`delete from ${noun} where name like 'copy%'`);
      else await db.query(end.replace('$table', noun));
      await world.api.send(...make('one-more'));
    },
  );
});
