import { type QueryRunner } from 'typeorm';

/**
 * Rights of the application's role, the notifications of changed rows, which version ran which migration, the processes of the
 * installation with their warnings, and how large its tables and folders were.
 * A table takes part in the notifications with one statement in its own migration:
 * `select fleetgate_notify_changes('<table>', '<topic>', '<column of the id>', '{columns that do not count}')`.
 */
export class Foundation1795662060000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- What later migrations create is the application's to use; the audit takes rights away again.
      alter default privileges in schema public grant select, insert, update, delete on tables to fleetgate_app;
      alter default privileges in schema public grant usage, select on sequences to fleetgate_app;

      create table schema_release (
        migration text        not null constraint schema_release_pkey primary key,
        version   text        not null,
        ran_at    timestamptz not null default now()
      );
      comment on table schema_release is
        'The version of Fleetgate that ran each migration, from this one on. An older version reads it to say what is needed.';
      revoke all on schema_release from fleetgate_app;

      create table gateway_process (
        id         uuid        not null constraint gateway_process_pkey primary key,
        role       text        not null
          constraint gateway_process_role_is_known check (role in ('all', 'api', 'worker')),
        host       text        not null,
        version    text        not null,
        node       text        not null,
        checks     jsonb       not null,
        sweepers   jsonb       not null,
        warnings   text[]      not null,
        started_at timestamptz not null,
        alive_at   timestamptz not null
      );
      comment on table gateway_process is 'The processes that run, as each describes itself. One that died leaves its row for a day.';

      create table system_warning (
        code  text        not null constraint system_warning_pkey primary key,
        since timestamptz not null
      );
      comment on table system_warning is 'What running processes warn of now.';

      create table root_key_copy (
        root_key_id text        not null constraint root_key_copy_pkey primary key,
        copied_at   timestamptz not null
      );
      comment on table root_key_copy is 'Root keys of which a backup of the installation made a copy. It holds no key.';

      create table storage_sample (
        name     text        not null,
        taken_at timestamptz not null,
        bytes    bigint      not null constraint storage_sample_is_no_debt check (bytes >= 0),
        constraint storage_sample_pkey primary key (name, taken_at)
      );
      comment on table storage_sample is 'How large tables and folders were, once an hour. Rows of more than eight days are removed.';
    `);
    await db.query(NOTIFICATIONS);
  }
}

const NOTIFICATIONS = `
      create function fleetgate_tell_changes() returns trigger language plpgsql as $body$
      declare
        topic     constant text   := tg_argv[0];
        id_column constant text   := tg_argv[1];
        ignored   constant text[] := tg_argv[2]::text[];
        source    text;
        told      text[];
        one       text;
      begin
        if tg_op = 'INSERT' then
          source := 'rows_after';
        elsif tg_op = 'DELETE' then
          source := 'rows_before';
        elsif cardinality(ignored) = 0 then
          source := '(select * from rows_after union all select * from rows_before) as touched';
        else
          source := format(
            '(select was.* from rows_after now join rows_before was using (id) where to_jsonb(now) - %1$L::text[] <> to_jsonb(was) - %1$L::text[]) as touched',
            ignored);
        end if;
        -- One more than is told one by one: a larger change is one notice without an id.
        execute format('select array(select distinct %I::text from %s limit 101)', id_column, source) into told;
        if cardinality(told) > 100 then
          perform pg_notify('fleetgate', topic || '/');
        else
          foreach one in array told loop
            perform pg_notify('fleetgate', topic || '/' || one);
          end loop;
        end if;
        return null;
      end
      $body$;
      comment on function fleetgate_tell_changes is
        'Tells listening processes which rows a statement changed, as topic/id; topic/ alone when anything may have changed.';

      create function fleetgate_notify_changes(of_table text, topic text, id_column text, ignored text[] default '{}')
      returns void language plpgsql as $body$
      declare
        kind text[];
      begin
        foreach kind slice 1 in array array[
          ['insert', 'new table as rows_after'],
          ['update', 'old table as rows_before new table as rows_after'],
          ['delete', 'old table as rows_before']
        ] loop
          execute format(
            'create trigger %I after %s on %I referencing %s for each statement execute function fleetgate_tell_changes(%L, %L, %L)',
            of_table || '_tells_' || kind[1], kind[1], of_table, kind[2], topic, id_column, ignored);
        end loop;
      end
      $body$;
      comment on function fleetgate_notify_changes is
        'For migrations: from now on committed changes of a table are told. Updates of the ignored columns alone are not; this needs a column id.';
      revoke execute on function fleetgate_notify_changes from public;
    `;
