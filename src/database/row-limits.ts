import { type EntityManager } from 'typeorm';
import { AppError } from '../platform/errors.js';

/*
 * How many rows a noun may have that people make one by one. Lists, passes and rights read all of them at once, so an operator
 * with the right to make them could fill the memory of each process.
 */
export const ROWS_MAX = {
  // A pass takes a quarter of a second for each rule of 50,000 devices; after 300 s without one the times of alerts begin again.
  alert_rule: { limit: 500, counted: 'rules of alerts' },
  api_key: { limit: 10_000, counted: 'API keys that have not ended' },
  backup_policy: { limit: 1_000, counted: 'policies of backups' },
  // Each process reads all locks each second, and judges each call by them.
  lock: { limit: 2_000, counted: 'locks in force' },
  // One statement finds the devices of all policies, each 10 s.
  monitoring_policy: { limit: 200, counted: 'policies of monitoring' },
  // Each pass of notifications keeps their devices in memory, and a mute can name the whole fleet.
  mute: { limit: 200, counted: 'mutes in force' },
  // Sign-in through a provider makes them, too, and is not refused.
  operator: { limit: 10_000, counted: 'people that others added' },
  role: { limit: 1_000, counted: 'roles, with the built-in ones' },
  saved_selector: { limit: 1_000, counted: 'selectors that are saved' },
  schedule: { limit: 1_000, counted: 'schedules, with disabled ones' },
  // As many as the command line applies at once.
  template: { limit: 1_000, counted: 'templates, with drafts' },
  // As policies: one statement for all.
  watch: { limit: 200, counted: 'watches, with disabled ones' },
  // Each one is a transaction of each pass of notifications.
  webhook: { limit: 500, counted: 'webhooks and other receivers' },
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
  const { limit } = ROWS_MAX[noun];
  const [row] = await tx.query<[{ isFull: boolean }]>(
    `select count(*) >= ${limit} as "isFull" from (select from ${noun} where ${counted} limit ${limit}) as counted`,
    values,
  );
  if (row.isFull) throw new AppError('too_many_saved', { noun, limit });
}
