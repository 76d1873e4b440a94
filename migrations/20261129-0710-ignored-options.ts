import { type QueryRunner } from 'typeorm';

/** Options of templates that are left as devices have them, for a time. */
export class IgnoredOptions1795936200000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table template_ignored (
        id              uuid        not null constraint template_ignored_pkey primary key,
        template_id     uuid        not null
          constraint template_ignored_is_of_a_template references template (id) on delete cascade,
        path            text        not null,
        key             jsonb       not null,
        option          text        not null,
        selector        text        not null,
        reason          text        not null,
        until           timestamptz not null,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid,
        created_at      timestamptz not null,
        constraint template_ignored_ends_after_it_begins check (until > created_at)
      );
      comment on table template_ignored is 'Options of templates that devices of a selector keep as they have them until a time, as far as the author may publish there. A row never changes.';
      comment on column template_ignored.key is 'The section, as the template names it or with the values of a device.';
      create index template_ignored_list_idx on template_ignored (template_id, until);
      revoke update, truncate on template_ignored from fleetgate_app;
    `);
  }
}
