import { type QueryRunner } from 'typeorm';

/** What operators may do: roles with their rules, locks, approvals by a second person. */
export class Rights1795662240000 {
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

      select fleetgate_notify_changes('role', 'rights', 'name');
      select fleetgate_notify_changes('operator_role', 'rights', 'operator_id');

      create table lock (
        id              uuid        not null constraint lock_pkey primary key,
        kind            text        not null
          constraint lock_kind_is_known check (kind in ('operator', 'key', 'device', 'selector', 'writes')),
        target          text
          constraint lock_names_what_it_locks check ((kind = 'writes') = (target is null)),
        reason          text        not null
          constraint lock_reason_is_short check (length(reason) between 1 and 500),
        created_at      timestamptz not null,
        created_by      text        not null,
        created_by_name text        not null,
        ends_at         timestamptz
          constraint lock_ends_after_it_began check (ends_at > created_at),
        lifted_at       timestamptz
      );
      comment on table lock is 'Whoever or whatever does nothing for now: an operator, a key, a device, a selector, all writes.';
      create index lock_in_force_idx on lock (created_at) where lifted_at is null;

      select fleetgate_notify_changes('lock', 'locks', 'id');

      create table approval (
        id                uuid        not null constraint approval_pkey primary key,
        action            text        not null,
        digest            bytea       not null
          constraint approval_digest_is_sha256 check (octet_length(digest) = 32),
        summary           jsonb       not null,
        devices           integer     not null,
        device_ids        uuid[]      not null,
        state             text        not null default 'pending'
          constraint approval_state_is_known check (state in ('pending', 'approved', 'rejected', 'used')),
        requested_by      uuid        not null
          constraint approval_was_asked_for_by_an_operator references operator (id) on delete cascade,
        requested_by_name text        not null,
        requested_at      timestamptz not null,
        expires_at        timestamptz not null,
        decided_by        uuid        constraint approval_was_decided_by_an_operator references operator (id) on delete set null,
        decided_by_name   text,
        decided_at        timestamptz,
        used_at           timestamptz,
        constraint approval_is_decided_by_another check (decided_by <> requested_by),
        constraint approval_says_who_decided check ((state = 'pending') = (decided_by_name is null)),
        constraint approval_says_when_it_was_used check ((state = 'used') = (used_at is not null))
      );
      comment on table approval is 'A request that touches more devices than one person decides about; bound to its digest, good once.';
      comment on column approval.device_ids is 'The devices that were named when it was asked for: it is good for these and no others.';
      create unique index approval_is_asked_for_once on approval (requested_by, action, digest) where state = 'pending';
      create index approval_requested_idx on approval (requested_at, id);
    `);
  }
}
