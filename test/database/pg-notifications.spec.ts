import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import pino from 'pino';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

describe('notices of changed rows', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let notices: PgNotifications;
  let heard: (string | null)[];

  beforeAll(async () => {
    database = await freshDatabase();
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query(`
      create table thing (id text primary key, owner text not null, seen integer not null default 0);
      select fleetgate_notify_changes('thing', 'things', 'owner', '{seen}')`);
    notices = new PgNotifications(
      { appUrl: database.url, ownerUrl: database.url },
      (channel, payload) => owner.query('select pg_notify($1, $2)', [channel, payload]),
      pino({ level: 'silent' }),
    );
    notices.on('things', (id) => heard.push(id));
    heard = [];
    await notices.start();
  });

  afterAll(async () => {
    await notices.close();
    await owner.end();
    await database.drop();
  });

  beforeEach(async () => {
    await owner.query('truncate thing');
    await owner.query(`insert into thing (id, owner) select 't' || n, 'o' || n from generate_series(1, 3) n`);
    await marked();
    heard = [];
  });

  /** Waits until everything that was committed before has been heard: notices arrive in the order of their commits. */
  async function marked(): Promise<void> {
    const mark = `mark-${Math.random()}`;
    await owner.query(`select pg_notify('fleetgate', $1)`, [`things/${mark}`]);
    await until(() => heard.includes(mark));
    heard = heard.filter((id) => id !== mark);
  }

  it('tell the id of every row that was inserted, changed or removed, each once', async () => {
    await owner.query(`insert into thing (id, owner) values ('t4', 'o4')`);
    await owner.query(`update thing set owner = 'o9' where id = 't1'`);
    await owner.query(`delete from thing where id in ('t2', 't3')`);
    await marked();
    expect(heard).toHaveLength(4);
    expect(heard.slice(0, 2)).toEqual(['o4', 'o1']);
    expect(new Set(heard.slice(2))).toEqual(new Set(['o2', 'o3']));
  });

  it('tell nothing of a change that was rolled back, nor of one that does not count', async () => {
    await owner.query(`begin; update thing set owner = 'x'; rollback`);
    await owner.query('update thing set seen = seen + 1');
    await owner.query(`update thing set owner = owner where id = 't1'`);
    await marked();
    expect(heard).toEqual([]);
  });

  it('tell that anything may have changed when a statement changes more than a hundred rows', async () => {
    await owner.query(`insert into thing (id, owner) select 'many' || n, 'm' || n from generate_series(1, 101) n`);
    await marked();
    expect(heard).toEqual([null]);
  });

  it('say that anything may have changed when the connection is lost, and again when it is back', async () => {
    const heardWhile: boolean[] = [];
    const stop = notices.on('things', (id) => {
      if (id === null) heardWhile.push(notices.isListening);
    });
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'fleetgate notices' and datname = current_database()`,
    );
    await until(() => heardWhile.includes(true));
    stop();
    expect(heardWhile).toEqual([false, true]);
  });

  it('say that anything may have changed when the connection was away, and are honest about it meanwhile', async () => {
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'fleetgate notices' and datname = current_database()`,
    );
    await until(() => !notices.isListening || heard.includes(null));
    await until(() => notices.isListening);
    expect(heard).toContain(null);
    heard = [];
    await owner.query(`delete from thing where id = 't1'`);
    await marked();
    expect(heard).toEqual(['o1']);
  });
});
