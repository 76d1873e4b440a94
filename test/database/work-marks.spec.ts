import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { WorkMarks } from '../../src/database/work-marks.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

interface Mark {
  readonly owner: string | null;
  readonly lostWorkers: number;
}

describe('marks of rows that processes were lost with', () => {
  let database: TestDatabase;
  let db: DataSource;
  let marks: WorkMarks;

  beforeAll(async () => {
    database = await freshDatabase();
    db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await db.query('delete from work_mark');
    marks = newProcess();
  });

  const newProcess = () => new WorkMarks(db, { JOB_LEASE_SECONDS: 30 });
  /** As a process leaves it that died, after `lostWorkers` others had done so. */
  const leave = async (lostWorkers: number, owner: string = randomUUID()): Promise<string> => {
    const id = randomUUID();
    await db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost_workers)
       values ('schedule', $1, $2, clock_timestamp() - interval '1 second', $3)`,
      [id, owner, lostWorkers],
    );
    return id;
  };
  const find = async (id: string): Promise<Mark | undefined> => {
    const [row] = await db.query<Mark[]>(
      'select owner, lost_workers as "lostWorkers" from work_mark where row_id = $1',
      [id],
    );
    return row;
  };
  /** @returns the rows of each call of `work`, and the quarantined ones */
  const pass = async (ids: readonly string[], act: () => Promise<void> = () => Promise.resolve()) => {
    const [calls, stopped]: [string[][], string[]] = [[], []];
    const work = (some: readonly string[]) => {
      calls.push([...some].sort());
      return act();
    };
    await marks.during('schedule', ids, work, (id) => Promise.resolve(void stopped.push(id)));
    return { calls, stopped };
  };
  const isLost = async (id: string) => {
    await db.query(`update work_mark set held_until = clock_timestamp() - interval '1 second' where row_id = $1`, [id]);
    marks = newProcess();
  };

  it('run again with all others after the first loss', async () => {
    const ids = [randomUUID(), await leave(0), await leave(0)].sort();
    expect(await pass(ids)).toEqual({ calls: [ids], stopped: [] });
    expect(await Promise.all(ids.map(find))).toEqual([undefined, undefined, undefined]);
  });

  it('run one by one from the second loss on, after the others', async () => {
    const [fresh, ...lost] = [randomUUID(), await leave(1), await leave(1)];
    const { calls, stopped } = await pass([...lost, fresh]);
    expect(calls[0]).toEqual([fresh]);
    expect(calls.slice(1).flat().sort()).toEqual(lost.sort());
    expect(calls).toHaveLength(3);
    expect(stopped).toEqual([]);
  });

  it('are stopped at the third loss, though their pass fails', async () => {
    const [guilty, other] = [await leave(2), randomUUID()];
    const stopped: string[] = [];
    const fail = () => Promise.reject(new Error('no'));
    const stop = (id: string) => Promise.resolve(void stopped.push(id));
    await expect(marks.during('schedule', [guilty, other], fail, stop)).rejects.toThrow('no');
    expect(stopped).toEqual([guilty]);
    expect(await find(guilty)).toBeUndefined();
  });

  it('are stopped by the next pass when that failed', async () => {
    const id = await leave(2);
    const stop = () => Promise.reject(new Error('no database'));
    await expect(marks.during('schedule', [id], () => Promise.resolve(), stop)).rejects.toThrow('no database');
    expect(await pass([id])).toEqual({ calls: [], stopped: [id] });
  });

  it.each(['job', 'mark'])('wait while a %s runs that lost two processes', async (kind) => {
    const [id, fresh] = [await leave(1), randomUUID()];
    if (kind === 'job') {
      await db.query(
        `with device as (
           insert into device (id, name, base_url, created_at, updated_at)
           values (gen_random_uuid(), 'lost', 'https://lost.test', now(), now()) returning id)
         insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at,
                          lease_until, owner, lost_workers)
         select gen_random_uuid(), id, 'count', 'running', '{}', now(), now(), 'test', 'test', now(), now(), 'other', 2 from device`,
      );
    } else {
      await db.query(
        `insert into work_mark (kind, row_id, owner, held_until, lost_workers)
         values ('webhook', $1, 'other', clock_timestamp() + interval '1 minute', 2)`,
        [randomUUID()],
      );
    }
    expect(await pass([id, fresh])).toEqual({ calls: [[fresh]], stopped: [] });
    expect(await find(id)).toEqual({ owner: null, lostWorkers: 2 });
    await db.query(`delete from work_mark where kind = 'webhook'`);
    await db.query(`delete from job`);
    expect(await pass([id])).toEqual({ calls: [[id]], stopped: [] });
  });

  it('count each loss once, also where two processes pass at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => leave(1)));
    const processes = [marks, newProcess(), newProcess()];
    const haveTaken = new Set<string>();
    let [running, most] = [0, 0];
    const alone = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    };
    const stop = () => Promise.reject(new Error('It is stopped'));
    const passOf = (process: WorkMarks) => {
      const fresh = randomUUID();
      // A row without a loss comes first. None goes on before each has read the marks: a later one would find them removed.
      const work = (some: readonly string[]) => {
        if (!some.includes(fresh)) return alone();
        haveTaken.add(fresh);
        return until(() => haveTaken.size === processes.length).then(() => undefined);
      };
      return process.during('schedule', [...ids, fresh], work, stop);
    };
    await Promise.all(processes.map(passOf));
    expect(most).toBe(1);
  });

  it('find a row that loses each process within three', async () => {
    const id = randomUUID();
    for (let lost = 0; lost < 3; lost++) {
      await new Promise<void>((resolve) => {
        const die = () => {
          resolve();
          return new Promise<never>(() => undefined);
        };
        void pass([id], die);
      });
      await isLost(id);
    }
    expect(await pass([id])).toEqual({ calls: [], stopped: [id] });
  });

  it('are left without a loss by a clean stop, and by a process that could not remove them', async () => {
    const [own, lostBefore] = [await leave(0, marks.owner), await leave(1, marks.owner)];
    expect(await pass([own])).toEqual({ calls: [[own]], stopped: [] });
    await marks.leave();
    expect(await find(lostBefore)).toEqual({ owner: null, lostWorkers: 1 });
    marks = newProcess();
    expect(await pass([lostBefore])).toEqual({ calls: [[lostBefore]], stopped: [] });
  });

  it('of another process that works are left alone', async () => {
    const id = await leave(1, 'other');
    await db.query(`update work_mark set held_until = clock_timestamp() + interval '1 minute' where row_id = $1`, [id]);
    expect(await pass([id])).toEqual({ calls: [], stopped: [] });
    expect(await find(id)).toEqual({ owner: 'other', lostWorkers: 1 });
  });
});
