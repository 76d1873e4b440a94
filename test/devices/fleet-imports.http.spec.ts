import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { ImportRuns } from '../../src/devices/fleet-files/import-runs.service.js';
import { isWaitedFor, postAndLeave } from '../support/devices/early-leaver.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson, type Person } from '../support/people.js';
import { until } from '../support/until.js';

/* An import ends with its sender, or goes on as an operation that can be read and cancelled. It is done or not, as a whole. */

const HOLD = 'lock table device in access exclusive mode';
/** More than one batch of 1,000. */
const DEVICES = sizeOf({ short: 1_001, long: 1_500 });

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
beforeEach(() => db.query('delete from device'));

interface Operation {
  readonly id: string;
  readonly state: string;
  readonly lines: number | null;
  readonly doneLines: number;
  readonly result: object | null;
  readonly failure: { readonly code: string; readonly errors: readonly object[] } | null;
}

const file = (count = DEVICES) =>
  ['name,base_url', ...Array.from({ length: count }, (_, n) => `d-${n},https://10.5.${n >> 8}.${n & 255}`)].join('\n');
const count = async () => (await db.query<{ n: number }>('select count(*)::int as n from device')).rows[0]!.n;
const send = (body: string, query = '', key = world.keys.operator) =>
  fetch(`${world.url}/v1/devices/import${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'text/csv',
      prefer: 'respond-async',
    },
    body,
  });
const start = async (body: string, query = '') => (await (await send(body, query)).json()) as Operation;
const read = (id: string) => world.as('operator').get<Operation>(`/v1/imports/${id}`);
const untilEnded = (id: string) =>
  until(async () => {
    const operation = await read(id);
    return operation.state !== 'running' && operation;
  });
/** Holds the table of devices, for which an import waits. */
async function whileHeld<Result>(act: () => Promise<Result>): Promise<Result> {
  await db.query('begin');
  try {
    await db.query(HOLD);
    const result = await act();
    await db.query('commit');
    return result;
  } finally {
    await db.query('rollback');
  }
}
/** Starts an import that waits for the table of devices, and gives it back when `meanwhile` is done. */
async function held(meanwhile: (operation: Operation) => Promise<unknown>): Promise<Operation> {
  const { id } = await whileHeld(async () => {
    const operation = await start(file());
    await until(() => isWaitedFor(db));
    await meanwhile(operation);
    return operation;
  });
  return untilEnded(id);
}

/** Waits until no other connection to this database has a transaction open. */
const untilNobodyWrites = () =>
  until(async () => {
    const open = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                     and state in ('active', 'idle in transaction')`;
    return (await db.query(open)).rowCount === 0;
  });

describe('an import whose sender leaves', () => {
  it('ends, and leaves nothing behind', async () => {
    const csv = { type: 'text/csv', text: file() };
    await postAndLeave(world, HOLD, { path: '/v1/devices/import', key: world.keys.operator, file: csv, headers: {} });
    await untilNobodyWrites();
    expect(await count()).toBe(0);
  });
});

describe('an import with Prefer: respond-async', () => {
  it('is answered at once, goes on, and says what became of it to its operator alone', async () => {
    const answer = await send(file());
    expect({ status: answer.status, applied: answer.headers.get('preference-applied') }).toEqual({
      status: 202,
      applied: 'respond-async',
    });
    const { id } = (await answer.json()) as Operation;
    expect(answer.headers.get('location')).toBe(`/v1/imports/${id}`);
    expect(await untilEnded(id)).toMatchObject({
      state: 'succeeded',
      lines: DEVICES,
      doneLines: DEVICES,
      result: { created: DEVICES, failed: 0 },
      failure: null,
    });
    expect(await count()).toBe(DEVICES);
    const other = await addPerson(world, 'Olga', [{ role: 'operator' }]);
    await expect(other.api.get(`/v1/imports/${id}`)).rejects.toMatchObject({ code: 'import_not_found' });
    const cancel = world.as('operator').post(`/v1/imports/${id}/cancel`, {});
    await expect(cancel).rejects.toMatchObject({ code: 'import_ended' });
  });

  it('says in a dry run what it would do', async () => {
    const { id } = await start(file(3), '?dryRun=true');
    expect(await untilEnded(id)).toMatchObject({ state: 'succeeded', result: { dryRun: true, created: 3 } });
    expect(await count()).toBe(0);
  });

  it('names the lines that it could not take', async () => {
    const { id } = await start(`${file(2)}\nbad,nowhere`);
    const { state, failure } = await untilEnded(id);
    expect({ state, failure }).toMatchObject({
      state: 'failed',
      failure: { code: 'import_refused', errors: [{ line: 4, field: 'base_url' }] },
    });
    expect(await count()).toBe(0);
  });

  it('is cancelled, and leaves nothing behind', async () => {
    const ended = await held(async ({ id }) => {
      await world.as('operator').post(`/v1/imports/${id}/cancel`, {});
    });
    expect(ended).toMatchObject({ state: 'cancelled', result: null, failure: { code: 'import_cancelled' } });
    expect(await count()).toBe(0);
  });

  it('changes nothing when its process was given up before it could commit', async () => {
    const other = new pg.Client({ connectionString: world.databaseUrl });
    await other.connect();
    const ended = await held(({ id }) =>
      // The import waits, and is still alive: its heartbeat may come between the two statements.
      until(async () => {
        await other.query(`update fleet_import set alive_at = now() - interval '2 minutes' where id = $1`, [id]);
        await world.gateway.app.get(ImportRuns).sweep();
        return (await read(id)).state !== 'running';
      }),
    );
    await other.end();
    expect(ended).toMatchObject({ state: 'failed', failure: { code: 'import_interrupted' } });
    await untilNobodyWrites();
    expect(await count()).toBe(0);
  });

  it('ends honestly where its process has died', async () => {
    const id = randomUUID();
    await db.query(
      `insert into fleet_import (id, state, dry_run, operator_id, created_by, created_by_name, created_at, alive_at)
       select $1, 'running', false, operator_id, created_by, created_by_name, now(), now() - interval '2 minutes'
         from fleet_import limit 1`,
      [id],
    );
    await world.gateway.app.get(ImportRuns).sweep();
    expect(await read(id)).toMatchObject({ state: 'failed', failure: { code: 'import_interrupted' } });
  });

  it('is refused while too many are running', async () => {
    await held(async () => {
      await start(file(1));
      const third = await send(file(1));
      expect({ status: third.status, body: await third.json() }).toMatchObject({
        status: 429,
        body: { code: 'too_many_imports' },
      });
    });
  });
});

describe('an import whose author loses what it runs by', () => {
  const ways: [string, string, (author: Person) => Promise<unknown>][] = [
    ['the key', 'author_gone', ({ keyId }) => world.api.send('DELETE', `/v1/api-keys/${keyId}`)],
    ['the account', 'author_gone', ({ operatorId }) => world.api.send('PATCH', `/v1/operators/${operatorId}`, { disabled: true })],
    ['the role', 'starter_may_not', ({ operatorId }) => world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles: [{ role: 'viewer' }] })],
    ['all access, by a lock', 'locked', ({ operatorId }) => world.api.post('/v1/locks', { kind: 'operator', target: operatorId, reason: 'left' })],
  ]; // prettier-ignore
  const sizes: [string, number][] = [
    ['before the next lines', DEVICES],
    ['before the commit', 1],
  ];

  it.each(ways.flatMap(([what, code, lose]) => sizes.map(([when, lines]) => [what, when, code, lose, lines] as const)))(
    '%s, %s, ends and changes nothing',
    async (_what, _when, code, lose, lines) => {
      const author = await addPerson(world, 'Ines', [{ role: 'operator' }]);
      const id = await whileHeld(async () => {
        const operation = (await (await send(file(lines), '', author.key)).json()) as Operation;
        await until(() => isWaitedFor(db));
        await lose(author);
        return operation.id;
      });
      const ended = await until(async () => {
        const sql = `select state, failure from fleet_import where id = $1 and state <> 'running'`;
        return (await db.query<Pick<Operation, 'state' | 'failure'>>(sql, [id])).rows[0];
      });
      // Lines after the loss of a role are refused one by one.
      const codes = code === 'starter_may_not' ? [code, 'import_refused'] : [code];
      expect({ ...ended, codes }).toMatchObject({ state: 'failed', failure: { code: expect.toBeOneOf(codes) } });
      expect(await count()).toBe(0);
    },
  );
});

describe('imports at one time', () => {
  const answerTo = (prefer: string, body: string | ReadableStream, signal?: AbortSignal, key = world.keys.operator) =>
    fetch(`${world.url}/v1/devices/import?dryRun=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv', prefer },
      body,
      duplex: 'half',
      ...(signal ? { signal } : {}),
    });

  it('are two for each operator, counted before their files are read, and those that break off count no more', async () => {
    const senders = new AbortController();
    // Files that begin and do not go on.
    const stalled = ['', 'respond-async'].map((prefer) => {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('name,base_url\n')) });
      return answerTo(prefer, body, senders.signal).catch((error: Error) => error.name);
    });
    for (const prefer of ['', 'respond-async']) {
      const answer = await until(async () => {
        const one = await answerTo(prefer, file(1));
        return one.status === 429 && one;
      });
      expect(await answer.json()).toMatchObject({ code: 'too_many_imports' });
    }
    const { operatorId } = await world.as('operator').get<{ operatorId: string }>('/v1/self');
    const { key } = await addKey(world, operatorId, {});
    expect((await answerTo('', file(1), undefined, key)).status).toBe(429);
    // Another operator imports while they hold what the first one may have.
    const other = await answerTo('', file(1), undefined, world.keys.administrator);
    expect(other.status).toBe(200);
    senders.abort();
    expect(await Promise.all(stalled)).toEqual(['AbortError', 'AbortError']);
    await until(async () => (await answerTo('', file(1))).status === 200);
  });
});
