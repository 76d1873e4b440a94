import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Roles as rows, and who has which of them for which devices. */
export class Roles1763733600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table role (
        name        text        not null constraint role_pkey primary key
          constraint role_name_is_a_word check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
        built_in    boolean     not null default false,
        description text        not null default '',
        rules       jsonb       not null default '[]'
          constraint role_rules_are_a_list check (jsonb_typeof(rules) = 'array'),
        version     integer     not null default 1,
        updated_at  timestamptz not null
      );
      comment on table role is 'A list of rules that allow and deny. The rules of built-in roles stand in the code.';

      insert into role (name, built_in, updated_at)
      select name, true, now()
        from unnest(array['viewer', 'operator', 'deployer', 'security', 'auditor', 'administrator']) as name;

      create table operator_role (
        id          uuid        not null constraint operator_role_pkey primary key,
        operator_id uuid        not null
          constraint operator_role_belongs_to_an_operator references operator (id) on delete cascade,
        role        text        not null constraint operator_role_keeps_its_role references role (name),
        selector    text,
        created_at  timestamptz not null
      );
      comment on table operator_role is 'A role that an operator has; with a selector, for its devices alone.';
      create unique index operator_role_is_given_once on operator_role (operator_id, role, coalesce(selector, ''));
      create index operator_role_role_idx on operator_role (role);

      insert into operator_role (id, operator_id, role, created_at)
      select gen_random_uuid(), id, role, created_at from operator;

      alter table operator drop column role;

      select fleetgate_notify_changes('role', 'rights', 'name');
      select fleetgate_notify_changes('operator_role', 'rights', 'operator_id');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table operator add column role text
        constraint operator_role_is_known check (role in ('viewer', 'operator', 'administrator'));
      update operator
         set role = coalesce((select role from operator_role
                               where operator_id = operator.id and role in ('operator', 'administrator')
                               order by role limit 1), 'viewer');
      alter table operator alter column role set not null;
      drop table operator_role, role;
    `);
  }
}
