import { DataSource } from 'typeorm';
import { StatusSweeper } from '../../../src/monitoring/status.sweeper.js';
import { type TestGateway } from '../gateway.js';
import { until } from '../until.js';

/**
 * Sweeps until no device is due: a pass leaves out a device whose row another statement holds at that moment.
 * @param clock that of the gateway
 */
export async function sweepAllDue({ gateway: { app } }: TestGateway, clock: { now(): Date }): Promise<void> {
  const db = app.get(DataSource);
  await until(async () => {
    await app.get(StatusSweeper).sweep();
    const due = await db.query<unknown[]>('select from device where probe_at <= $1', [clock.now()]);
    return due.length === 0;
  });
}
