import { type EntityManager } from 'typeorm';
import { AppError } from '../platform/errors.js';

/*
 * How many rows a noun may have that people make one by one. Lists, passes and rights read all of them at once, so an operator
 * with the right to make them could fill the memory of each process.
 */
export const ROWS_MAX = {
  // A pass takes a quarter of a second for each rule of 50,000 devices; after 300 s without one the times of alerts begin again.
  alert_rule: 500,
  api_key: 10_000,
  backup_policy: 1_000,
  // Each process reads all locks each second, and judges each call by them.
  lock: 2_000,
  // One statement finds the devices of all policies, each 10 s.
  monitoring_policy: 200,
  // Each pass of notifications keeps their devices in memory, and a mute can name the whole fleet.
  mute: 200,
  // Sign-in through a provider makes them, too.
  operator: 10_000,
  role: 1_000,
  saved_selector: 1_000,
  schedule: 1_000,
  // As many as the command line applies at once.
  template: 1_000,
  // As policies: one statement for all.
  watch: 200,
  // Each one is a transaction of each pass of notifications.
  webhook: 500,
} as const;

/**
 * Whether one more may be made. Called before the insert; inserts at the same moment may pass together, which does not matter.
 * @param counted a condition on the rows that count; absent: all
 * @throws AppError `too_many_saved`
 */
export async function requireRoom(
  tx: Pick<EntityManager, 'query'>,
  noun: keyof typeof ROWS_MAX,
  counted = 'true',
  values: unknown[] = [],
): Promise<void> {
  const limit = ROWS_MAX[noun];
  const [row] = await tx.query<[{ isFull: boolean }]>(
    `select count(*) >= ${limit} as "isFull" from (select from ${noun} where ${counted} limit ${limit}) as counted`,
    values,
  );
  if (row.isFull) throw new AppError('too_many_saved', { noun, limit });
}
