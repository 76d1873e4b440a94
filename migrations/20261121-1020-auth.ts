import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Operators, their API keys, and the tokens that make the first of them. */
export class Auth1763720400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table operator (
        id         uuid        not null constraint operator_pkey primary key,
        name       text        not null
          constraint operator_name_is_short check (length(name) between 1 and 120),
        role       text        not null
          constraint operator_role_is_known check (role in ('viewer', 'operator', 'administrator')),
        created_at timestamptz not null
      );
      comment on table operator is 'A person or a program with rights.';
      create unique index operator_name_is_unique on operator (lower(name));

      create table api_key (
        id           uuid        not null constraint api_key_pkey primary key,
        operator_id  uuid        not null constraint api_key_belongs_to_an_operator references operator (id),
        name         text        not null
          constraint api_key_name_is_short check (length(name) between 1 and 120),
        prefix       text        not null constraint api_key_prefix_is_unique unique,
        hash         bytea       not null
          constraint api_key_hash_is_sha256 check (octet_length(hash) = 32),
        created_at   timestamptz not null,
        expires_at   timestamptz,
        revoked_at   timestamptz,
        last_used_at timestamptz
      );
      comment on table api_key is 'What a program shows to act for an operator. Only a digest of its secret is kept.';
      create index api_key_operator_idx on api_key (operator_id);

      create table setup_token (
        hash       bytea       not null constraint setup_token_pkey primary key,
        expires_at timestamptz not null
      );
      comment on table setup_token is 'Digests of the tokens printed at starts without an operator; one of them makes the first administrator.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table setup_token, api_key, operator');
  }
}
