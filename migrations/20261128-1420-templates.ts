import { type QueryRunner } from 'typeorm';

/** Templates: what devices should be set to, as a draft and as published versions, which never change. */
export class Templates1795875600000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(TEMPLATES);
    await db.query(SECRETS);
  }
}

const TEMPLATES = `
      create table template (
        id               uuid        not null constraint template_pkey primary key,
        name             text        not null
          constraint template_name_is_part_of_an_address check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
        selector         text        not null,
        items            jsonb       not null constraint template_has_items check (jsonb_typeof(items) = 'array'),
        published_number integer,
        created_by       text        not null,
        created_by_name  text        not null,
        operator_id      uuid,
        created_at       timestamptz not null,
        version          integer     not null
      );
      comment on table template is 'What devices should be set to. Selector and items are the draft; nothing follows from it before it is published.';
      comment on column template.published_number is 'The version in force; null: none was published.';
      create unique index template_name_is_unique on template (name);

      create table template_version (
        id              uuid        not null constraint template_version_pkey primary key,
        template_id     uuid        not null
          constraint template_version_is_of_a_template references template (id) on delete cascade,
        number          integer     not null constraint template_version_counts_from_one check (number >= 1),
        selector        text        not null,
        items           jsonb       not null,
        reason          text        not null,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid,
        published_at    timestamptz not null,
        constraint template_version_has_its_number unique (template_id, number)
      );
      comment on table template_version is 'What was published of a template. It reaches devices with the rights of who published it. A row never changes, and goes only with its template.';
      create index template_version_list_idx on template_version (template_id, published_at desc, id desc);
      revoke update, delete, truncate on template_version from fleetgate_app;

      alter table template add constraint template_publishes_one_of_its_versions
        foreign key (id, published_number) references template_version (template_id, number);
    `;

const SECRETS = `
      alter table sealed_value add column template_id uuid;
      comment on column sealed_value.template_id is
        'The template whose copy of a secret this is: no job that a person starts may name it. It goes with its template.';
      create index sealed_value_template_idx on sealed_value (template_id) where template_id is not null;
    `;
