/*
 * The thread that renews the leases of a worker process while its main loop is busy. It has its own connection, so that
 * it waits neither for the loop nor behind the loop's statements. It renews nothing for a stuck loop, whose jobs must
 * move to another process. Started by `heartbeat.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseClient } from '../../database/connection/database-client.js';
import {
  heartbeatResult,
  monotonicMs,
  renewLeases,
  type HeartbeatSettings,
  type LeasedTickets,
} from '../rows/lease-terms.js';

const { connection, owner, terms } = workerData as HeartbeatSettings;

let leased: LeasedTickets = { listNumber: 0, ids: [], epochs: [] };
let heardAt = Number.NEGATIVE_INFINITY;
let client: DatabaseClient | null = null;
let isBusy = false;

async function connected(): Promise<DatabaseClient> {
  if (client) return client;
  const fresh = new DatabaseClient({
    ...connection,
    connectionTimeoutMillis: terms.heartbeatMs,
    keepAlive: true,
  });
  fresh.on('error', () => forget(fresh));
  await fresh.connect();
  client = fresh;
  return fresh;
}

function forget(broken: DatabaseClient | null): void {
  if (client === broken) client = null;
  void broken?.end().catch(() => undefined);
}

/** Checked before each statement: with many jobs the database may take long for some. */
const isStuck = () => monotonicMs() - heardAt > terms.stuckMs;

async function renew(): Promise<void> {
  if (isBusy || isStuck() || leased.ids.length === 0) return;
  isBusy = true;
  try {
    const db = await connected();
    const current = leased;
    const atMs = monotonicMs();
    const query = async (sql: string, values: unknown[]) => {
      if (isStuck()) throw new Error('The main loop has given no sign of life for too long');
      return (await db.query(sql, values)).rows;
    };
    const rows = await renewLeases(query, current, owner, terms.leaseMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort!.postMessage(heartbeatResult(current, atMs, rows));
  } catch {
    forget(client); // the next heartbeat uses a new connection; the main loop notices the missing one
  } finally {
    isBusy = false;
  }
}

const timer = setInterval(() => void renew(), terms.heartbeatMs);

parentPort!.on('message', (message: LeasedTickets | 'stop') => {
  if (message !== 'stop') {
    leased = message;
    heardAt = monotonicMs();
    return;
  }
  clearInterval(timer);
  parentPort!.close();
  forget(client);
});
