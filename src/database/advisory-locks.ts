import { type EntityManager } from 'typeorm';

/*
 * All Postgres advisory locks of the gateway. Two locks with one number would block each other. Give a new lock the
 * next number; all processes must agree on it. `test/database/advisory-locks.spec.ts` finds locks outside this
 * list.
 */
export const ADVISORY_LOCK = {
  migrations: 4_711_202_611,
  jobDispatch: 4_711_202_612,
  artifactQuota: 4_711_202_613,
  auditSequencer: 4_711_202_615,
  auditWitnesses: 4_711_202_616,
  auditRetention: 4_711_202_617,
  keyRotation: 4_711_202_618,
  dataKeys: 4_711_202_619,
  setup: 4_711_202_620,
  administrators: 4_711_202_621,
  operatorNames: 4_711_202_622,
  discoveryStarts: 4_711_202_623,
  samplingPlan: 4_711_202_624,
  alertPass: 4_711_202_625,
  watchPlan: 4_711_202_626,
  /** Taken by the trigger `device_addresses_are_unique` alone. */
  deviceAddresses: 4_711_202_627,
  templatePublishing: 4_711_202_628,
  templateStates: 4_711_202_629,
} as const;

/** Takes a lock until the end of the transaction. @returns false: another process has it */
export async function tryLock(tx: EntityManager, lock: number): Promise<boolean> {
  const [row] = await tx.query<[{ isMine: boolean }]>('select pg_try_advisory_xact_lock($1) as "isMine"', [lock]);
  return row.isMine;
}

/** The first of two 32-bit keys, which Postgres keeps apart from the 64-bit ones. The second is a hash. */
export const ADVISORY_LOCK_OF = { oidcSubject: 1 } as const;
