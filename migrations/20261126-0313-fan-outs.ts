import { type QueryRunner } from 'typeorm';

/** Fan-outs whose outcomes and answers are stored. */
export class FanOuts1795662780000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table fan_out (
        id              uuid        not null constraint fan_out_pkey primary key,
        state           text        not null constraint fan_out_state_is_known
          check (state in ('running', 'ended', 'interrupted')),
        selector        text        not null,
        acts            jsonb       not null,
        writes          boolean     not null,
        sealed_request  bytea       not null,
        device_ids      uuid[]      not null,
        counts          jsonb       not null default '{}',
        stopped         text,
        retry_of        uuid        constraint fan_out_retries_another references fan_out (id) on delete set null,
        operator_id     uuid        not null,
        created_by      text        not null,
        created_by_name text        not null,
        created_at      timestamptz not null,
        alive_at        timestamptz not null,
        cancel_asked_at timestamptz,
        ended_at        timestamptz,
        constraint fan_out_ends_once check ((state = 'running') = (ended_at is null))
      );
      comment on table fan_out is 'Calls to many devices whose outcomes are stored for some days. The calls are made by one process, which says in alive_at that it works on it.';
      comment on column fan_out.acts is 'Method, path and query of each call, without secrets.';
      comment on column fan_out.sealed_request is 'The complete request, with its bodies, for a retry.';
      comment on column fan_out.device_ids is 'All devices of it. One without a row in fan_out_device has no outcome yet.';
      comment on column fan_out.alive_at is 'By the clock of the database.';
      create index fan_out_list_idx on fan_out (created_at desc, id desc);
      create index fan_out_ended_idx on fan_out (ended_at);
      create index fan_out_operator_idx on fan_out (operator_id, created_at desc, id desc);
      create index fan_out_retries_idx on fan_out (retry_of) where retry_of is not null;
      select fleetgate_sealed('fan_out', 'sealed_request');

      create table fan_out_device (
        fan_out_id   uuid      not null
          constraint fan_out_device_is_of_a_fan_out references fan_out (id) on delete cascade,
        device_id    uuid      not null,
        outcome      text      not null constraint fan_out_device_outcome_is_known
          check (outcome in ('succeeded', 'failed', 'skipped', 'unreachable', 'unknown')),
        reason       text,
        status       integer,
        digest       text      constraint fan_out_device_digest_is_sha256 check (digest ~ '^[0-9a-f]{64}$'),
        bytes        integer,
        device_codes integer[] not null default '{}',
        ms           integer,
        constraint fan_out_device_pkey primary key (fan_out_id, device_id)
      );
      comment on table fan_out_device is 'The outcome of one device, written in batches. It outlives the device, which no reader sees then: a foreign key would slow each batch down.';
      comment on column fan_out_device.digest is 'Of the answer without its secrets; null: there is none, or it cannot be searched for secrets.';

      create table fan_out_answer (
        id          uuid  not null constraint fan_out_answer_id_is_unique unique,
        fan_out_id  uuid  not null
          constraint fan_out_answer_is_of_a_fan_out references fan_out (id) on delete cascade,
        digest      text  not null,
        sealed_body bytea not null,
        constraint fan_out_answer_pkey primary key (fan_out_id, digest)
      );
      comment on table fan_out_answer is 'Different answers of devices, each once, without their secrets and sealed all the same: what the rules of redaction do not know is not in clear here.';
      select fleetgate_sealed('fan_out_answer', 'sealed_body');
    `);
    await db.query(EVENTS);
  }
}

const EVENTS = `
      create function event_of_fan_out() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('fanout.' || new.state, 'fanout:' || new.id,
                  jsonb_build_object('startedBy', new.created_by_name, 'state', new.state));
        end if;
        return null;
      end $$;
      create trigger fan_out_makes_events after insert or update of state on fan_out
        for each row execute function event_of_fan_out();
    `;
