/*
 * All advisory locks of Postgres that the gateway takes: two that shared a number would wait for each other. Add a lock with
 * the next number; all processes must agree on it. `test/platform/database/advisory-locks.spec.ts` finds any other.
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
} as const;

/** First of two 32-bit keys, a space of its own in Postgres; the second is the hash of what is locked. */
export const ADVISORY_LOCK_OF = { oidcSubject: 1 } as const;
