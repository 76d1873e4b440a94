import { type QueryRunner } from 'typeorm';

/** Operators, and how they prove who they are: passwords, second factors, sessions, identities elsewhere, API keys. */
export class Operators1795662180000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table operator (
        id          uuid        not null constraint operator_pkey primary key,
        name        text        not null
          constraint operator_name_is_short check (length(name) between 1 and 120),
        created_at  timestamptz not null,
        disabled_at timestamptz
      );
      comment on table operator is 'A person or a program with rights.';
      create unique index operator_name_is_unique on operator (lower(name));

      create table api_key (
        id                uuid        not null constraint api_key_pkey primary key,
        operator_id       uuid        not null constraint api_key_belongs_to_an_operator references operator (id),
        name              text        not null
          constraint api_key_name_is_short check (length(name) between 1 and 120),
        prefix            text        not null constraint api_key_prefix_is_unique unique,
        hash              bytea       not null
          constraint api_key_hash_is_sha256 check (octet_length(hash) = 32),
        scope             jsonb
          constraint api_key_scope_is_an_object check (jsonb_typeof(scope) = 'object'),
        allowed_addresses text[]      not null default '{}',
        calls_per_minute  integer
          constraint api_key_allows_some_calls check (calls_per_minute > 0),
        replaces_id       uuid        constraint api_key_replaces_another references api_key (id),
        issued_by         uuid        constraint api_key_was_issued_by_an_operator references operator (id),
        created_at        timestamptz not null,
        expires_at        timestamptz,
        revoked_at        timestamptz,
        last_used_at      timestamptz,
        last_used_address text
      );
      comment on table api_key is 'What a program shows to act for an operator. Only a digest of its secret is kept.';
      comment on column api_key.issued_by is 'Who else has seen the key. Null: nobody, or it is from before this was kept.';
      create index api_key_operator_idx on api_key (operator_id);

      create table setup_token (
        hash       bytea       not null constraint setup_token_pkey primary key,
        expires_at timestamptz not null
      );
      comment on table setup_token is 'Digests of the tokens printed at starts without an operator; one of them makes the first administrator.';

      create table operator_password (
        operator_id uuid        not null constraint operator_password_pkey primary key
          constraint operator_password_belongs_to_an_operator references operator (id),
        hash        text        not null constraint operator_password_is_argon2id check (hash like '$argon2id$%'),
        changed_at  timestamptz not null
      );
      comment on table operator_password is 'The password of a local account, as a slow hash that carries its own parameters.';

      create table operator_totp (
        operator_id uuid        not null constraint operator_totp_pkey primary key
          constraint operator_totp_belongs_to_an_operator references operator (id),
        sealed_seed bytea       not null,
        made_at     timestamptz not null,
        confirmed_at timestamptz,
        last_step   bigint      not null default 0
      );
      comment on table operator_totp is 'The second factor of an operator (RFC 6238); in force when confirmed. No step at or before last_step is taken again.';
      select fleetgate_sealed('operator_totp', 'sealed_seed');

      create table recovery_code (
        operator_id uuid        not null constraint recovery_code_belongs_to_an_operator references operator (id),
        hash        bytea       not null constraint recovery_code_hash_is_sha256 check (octet_length(hash) = 32),
        used_at     timestamptz,
        constraint recovery_code_pkey primary key (operator_id, hash)
      );
      comment on table recovery_code is 'Digests of the codes that stand in for a lost second factor, each once.';

      create table operator_session (
        id                uuid        not null constraint operator_session_pkey primary key,
        operator_id       uuid        not null constraint operator_session_belongs_to_an_operator references operator (id),
        hash              bytea       not null constraint operator_session_hash_is_unique unique
          constraint operator_session_hash_is_sha256 check (octet_length(hash) = 32),
        way               text        not null constraint operator_session_way_is_known check (way in ('password', 'oidc')),
        made_at           timestamptz not null,
        ends_at           timestamptz not null,
        revoked_at        timestamptz,
        second_factor_at  timestamptz,
        address           text,
        user_agent        text constraint operator_session_user_agent_is_short check (length(user_agent) <= 300),
        last_seen_at      timestamptz not null,
        last_seen_address text,
        constraint operator_session_ends_after_it_began check (ends_at > made_at)
      );
      comment on table operator_session is 'A person who is signed in. Only a digest of the token in their cookie is kept.';
      create index operator_session_operator_idx on operator_session (operator_id);
      create index operator_session_ends_idx on operator_session (ends_at);

      create table operator_identity (
        issuer        text        not null,
        subject       text        not null,
        operator_id   uuid        not null constraint operator_identity_belongs_to_an_operator references operator (id),
        provider      text        not null,
        created_at    timestamptz not null,
        last_login_at timestamptz not null,
        constraint operator_identity_pkey primary key (issuer, subject)
      );
      comment on table operator_identity is 'Who an operator is at an OpenID provider: issuer and subject, and nothing that a person can change there.';
      create index operator_identity_operator_idx on operator_identity (operator_id);

      create table invitation (
        hash        bytea       not null constraint invitation_pkey primary key,
        operator_id uuid        not null constraint invitation_is_one_of_an_operator unique
          constraint invitation_belongs_to_an_operator references operator (id),
        expires_at  timestamptz not null,
        issued_by   uuid        constraint invitation_was_issued_by_an_operator references operator (id)
      );
      comment on table invitation is 'Digests of the tokens with which a person sets a first or forgotten password, once.';
      comment on column invitation.issued_by is 'Who else has seen its token. Null: it is from before this was kept.';

      select fleetgate_notify_changes('operator', 'operator', 'id');
      select fleetgate_notify_changes('api_key', 'api_key', 'id', '{last_used_at,last_used_address}');
      select fleetgate_notify_changes('operator_session', 'operator_session', 'id', '{last_seen_at,last_seen_address}');
    `);
  }
}
