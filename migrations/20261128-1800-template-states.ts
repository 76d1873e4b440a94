import { type QueryRunner } from 'typeorm';

/** Whether devices are as their published templates say, and the secrets that were made for single devices. */
export class TemplateStates1795888800000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(STATES);
    await db.query(SECRETS);
  }
}

const STATES = `
      create table template_state (
        template_id      uuid        not null
          constraint template_state_is_of_a_template references template (id) on delete cascade,
        device_id        uuid        not null
          constraint template_state_is_of_a_device references device (id) on delete cascade,
        state            text        not null constraint template_state_is_known
          check (state in ('in_sync', 'pending', 'drifted', 'both', 'suspended', 'unread', 'left_out')),
        reason           text,
        detail           text,
        since            timestamptz not null,
        desired          integer     not null,
        applied          integer,
        observed         integer,
        applied_as       jsonb,
        closed_at        timestamptz,
        differences      jsonb       not null default '[]',
        more_differences integer     not null default 0,
        put_back         jsonb       not null default '{}',
        suspended_at     timestamptz,
        compared_from    text,
        constraint template_state_pkey primary key (template_id, device_id),
        constraint template_state_has_what_it_applied check ((applied is null) = (applied_as is null))
      );
      comment on table template_state is 'How a device compares with the published version of a template that reaches it. A sweeper keeps it; the row goes with the reach.';
      comment on column template_state.reason is 'Why it is left out or unread, as a code; null: it is compared.';
      comment on column template_state.detail is 'The path, the fields or the other templates of the reason.';
      comment on column template_state.applied is 'The version that the device had completely when it last was in sync.';
      comment on column template_state.observed is 'The version that the device has now; null: none of the two.';
      comment on column template_state.applied_as is 'The items of that version for this device, and the forms in which it stored their options. No secrets.';
      comment on column template_state.closed_at is 'When a job last closed the difference.';
      comment on column template_state.put_back is 'When jobs put options back that the device had changed, by option, for some days.';
      comment on column template_state.suspended_at is 'Since when no job sets the device to this template, since an option was put back too often; null: jobs may.';
      comment on column template_state.compared_from is 'A digest of all that the state follows from: while it is the same, nothing is compared. null: compare again.';
      create index template_state_device_idx on template_state (device_id);
      create index template_state_by_state_idx on template_state (template_id, state, device_id);
    `;

const SECRETS = `
      alter table sealed_value drop constraint sealed_value_of_a_job_has_a_name;
      alter table sealed_value add constraint sealed_value_has_a_name_where_it_was_made
        check ((job_id is null and (template_id is null or device_id is null)) = (name is null)) not valid;
      create unique index sealed_value_once_per_template_device_and_name on sealed_value (template_id, device_id, name)
        where template_id is not null and device_id is not null;
    `;
