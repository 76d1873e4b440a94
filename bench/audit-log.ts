/*
 * P11, the log: an audit of a million entries, each with its outcome, so two million leaves. SQL makes the rows, faster
 * than the gateway places them. Measured are the rate at which it places the rest in the signed log, and the time of a
 * verification through the API: every row hashed, and every seal, stored hash, root and signature computed again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Gateway, type GatewayOptions } from './gateway.js';
import { significant, type Report } from './report.js';

const ENTRIES = 1_000_000;
const ENTRIES_SHORT = 50_000;

/** Rows of one transaction, as a busy gateway commits them in a second. */
const ENTRIES_AT_ONCE = 5_000;

/** An id as the gateway makes them: it begins with the time (UUID version 7). */
const TIMED_ID = `(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' ||
  substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid`;

/** P11: the log. */
export async function measureLog(report: Report, short: boolean, options: GatewayOptions): Promise<void> {
  const gateway = await Gateway.install(options);
  try {
    const entries = short ? ENTRIES_SHORT : ENTRIES;
    const db = new Client({ connectionString: await gateway.databaseUrl() });
    await db.connect();
    await fill(db, entries);
    // Without statistics a database that was filled a moment ago plans for an empty one.
    await db.query('analyze audit_entry, audit_outcome, audit_leaf');
    const startedAt = performance.now();
    const before = await leaves(db);
    let placed = before;
    while (placed < entries * 2) {
      await sleep(50);
      placed = await leaves(db);
    }
    const perSecond = (placed - before) / ((performance.now() - startedAt) / 1_000);
    const shown = entries.toLocaleString('en-GB');
    report.add({
      id: 'P11',
      what: 'sequencing: audited writes placed in the log each second',
      value: perSecond / 2,
      unit: '/s',
      against: '',
      bound: { atLeast: 5_000 },
      detail: `${shown} entries and their outcomes, ${significant(perSecond)} leaves a second`,
    });
    await db.end();
    await verify(report, gateway, entries);
  } finally {
    await gateway.remove();
  }
}

async function verify(report: Report, gateway: Gateway, entries: number): Promise<void> {
  const startedAt = performance.now();
  const answer = await fetch(`${gateway.url}/v1/audit/verify`, { method: 'POST', headers: gateway.headers() });
  const lines = (await answer.text()).trim().split('\n');
  const seconds = (performance.now() - startedAt) / 1_000;
  const summary = JSON.parse(lines.at(-1)!) as { holds: boolean; leaves: number; checkpoints: number };
  if (!summary.holds || summary.leaves < entries * 2) throw new Error(`the verification said ${lines.at(-1)}`);
  report.add({
    id: 'P11',
    what: `verification of ${entries.toLocaleString('en-GB')} entries`,
    value: seconds,
    unit: 's',
    against: '',
    bound: { atMost: 60 },
    detail: `${summary.leaves.toLocaleString('en-GB')} leaves, ${summary.checkpoints} checkpoints`,
  });
}

/** Writes through the passthrough, each an entry and its outcome. */
async function fill(db: Client, entries: number): Promise<void> {
  for (let from = 0; from < entries; from += ENTRIES_AT_ONCE) {
    await db.query(
      `with acts as (
         insert into audit_entry (id, opened_at, action, actor, actor_name, request_id, address, device_id, subject, facts)
         select ${TIMED_ID}, clock_timestamp(), 'device.call_write', 'key:6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'Bench',
                gen_random_uuid()::text, '127.0.0.1', gen_random_uuid(), 'PUT /api/interfaces/config/lan',
                jsonb_build_object('body', jsonb_build_object('bytes', 92, 'fingerprint', 'hmac:0123456789abcdef'),
                  'requested', jsonb_build_object('data', jsonb_build_object('id', 'lan', 'ipaddr', '192.0.2.' || number % 256)))
           from generate_series(1, $1::int) as number returning id)
       insert into audit_outcome (entry_id, closed_at, outcome, facts)
       select id, clock_timestamp(), 'succeeded', '{"deviceStatus": 200, "answer": {"bytes": 1500, "ms": 3,
         "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}' from acts`,
      [Math.min(ENTRIES_AT_ONCE, entries - from)],
    );
  }
}

async function leaves(db: Client): Promise<number> {
  const { rows } = await db.query<{ count: string }>('select coalesce(max(sequence), -1) + 1 as count from audit_leaf');
  return Number(rows[0]!.count);
}
