/*
 * The gateway with the least that an audit can be: a row of ten bytes committed before each write goes out and one after
 * its answer, in groups that rest as the product's do, into a table without an index. They say nothing, and have no place
 * in a log. What this costs is the price of the promise; what the product's audit costs beyond it is what it says: contents,
 * indexes and log. As with `unaudited-gateway.ts` answers are digested all the same.
 */
import { type Pool } from 'pg';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { type Audit, PAUSE_BETWEEN_BATCHES_MS } from '../src/audit/entries/audit.js';
import { Sequencer } from '../src/audit/log/sequencer.js';
import { Batching } from '../src/database/batching.js';
import { WriteRecords, type WriteRecord } from '../src/proxy/calls/write-record.js';
import { INSERT_EMPTY } from './empty-audit.js';

interface Row {
  readonly number: number;
  readonly kind: 0 | 1;
}

let group: Batching<Row> | null = null;
let written = 0;

/** The product's own pool, which nothing but the audit itself is given. */
function rowsOf(records: WriteRecords): Batching<Row> {
  const db = (records['audit'] as Audit)['db'];
  const pool = (db.driver as PostgresDriver).master as Pool;
  group ??= new Batching(async (rows) => {
    await pool.query({ ...INSERT_EMPTY, values: [rows.map(({ number }) => number), rows.map(({ kind }) => kind)] });
  }, PAUSE_BETWEEN_BATCHES_MS);
  return group;
}

WriteRecords.prototype.open = async function (this: WriteRecords, call): Promise<WriteRecord> {
  await rowsOf(this).add({ number: written++, kind: 0 });
  return { entryIds: [], call };
};
WriteRecords.prototype.close = async function (this: WriteRecords): Promise<void> {
  await rowsOf(this).add({ number: written++, kind: 1 }, true);
};
Sequencer.prototype.sweep = () => Promise.resolve({});
Sequencer.prototype.catchUp = () => Promise.resolve();

await import('../src/main.js');
