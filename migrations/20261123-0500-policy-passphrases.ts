import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The copy of a passphrase that a backup policy stores belongs to that policy: no other job may use it. */
export class PolicyPassphrases1763874000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table sealed_value add column policy_id uuid;
      comment on column sealed_value.policy_id is
        'The backup policy whose copy of a passphrase this is: only its backups, and restores of them, may use it. No foreign key: it outlives the policy, as its backups do.';
      comment on column sealed_value.operator_id is
        'Whose jobs alone may use a value that an operator gave. A value that has no operator, no job and no policy is used by no job.';

      update sealed_value value set policy_id = policy.id, operator_id = null
        from backup_policy policy
       where value.id = policy.passphrase;
      -- Copies of policies that were removed or have another passphrase by now: their jobs name them.
      update sealed_value value set policy_id = owner.policy_id, operator_id = null
        from (select distinct on (spec->>'sealedValue') spec->>'sealedValue' as value_id,
                     substr(started_by, length('system:backup-policy:') + 1)::uuid as policy_id
                from job
               where kind = 'backup' and started_by like 'system:backup-policy:%' and spec ? 'sealedValue') as owner
       where value.id::text = owner.value_id and value.job_id is null and value.policy_id is null;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table sealed_value drop column policy_id');
  }
}
