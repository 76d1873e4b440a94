import { type QueryRunner } from 'typeorm';

/** Monitoring: which devices are sampled how often, their latest values, and how often the gateway logged in. */
export class Monitoring1795761000000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(POLICIES);
    await db.query(SAMPLES);
  }
}

const POLICIES = `
      create table monitoring_policy (
        id              uuid        not null constraint monitoring_policy_pkey primary key,
        name            text        not null constraint monitoring_policy_name_is_short check (length(name) between 1 and 120),
        selector        text        not null,
        every_seconds   integer     not null
          constraint monitoring_policy_shares_a_session_or_has_its_own
            check (every_seconds between 60 and 240 or every_seconds between 900 and 86400),
        metrics         text[]      not null constraint monitoring_policy_has_a_metric check (cardinality(metrics) > 0),
        extra           jsonb       not null default '[]',
        budget_mb       integer     constraint monitoring_policy_budget_is_positive check (budget_mb > 0),
        enabled         boolean     not null,
        last_error      text,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid,
        created_at      timestamptz not null,
        version         integer     not null
      );
      comment on table monitoring_policy is 'Which devices are sampled, how often and what of them. It reads in the name of who made or last replaced it.';
      comment on column monitoring_policy.budget_mb is 'For each device and month (UTC): the interval doubles until the samples fit.';
      create unique index monitoring_policy_name_is_unique on monitoring_policy (lower(name));

      create table monitored_device (
        device_id        uuid        not null constraint monitored_device_pkey primary key
          constraint monitored_device_is_a_device references device (id) on delete cascade,
        policies         uuid[]      not null,
        every_seconds    integer     not null,
        interval_seconds integer     not null,
        budget_mb        integer,
        slowed_month     date,
        due_at           timestamptz not null,
        process          uuid,
        last_error       text,
        constraint monitored_device_is_not_faster check (interval_seconds >= every_seconds)
      ) with (fillfactor = 70);
      comment on table monitored_device is 'The devices of the policies, as a sweep finds them, and when each is sampled next.';
      comment on column monitored_device.interval_seconds is 'every_seconds, or longer where the budget of the month would not last.';
      comment on column monitored_device.slowed_month is 'The last month (UTC) in which interval_seconds was longer: one event for each.';
      comment on column monitored_device.process is 'The process that sampled it last: it has the session.';
      comment on column monitored_device.last_error is 'Why the last sample has no values: a code of the error table.';
      create index monitored_device_due_idx on monitored_device (due_at);

      create function event_of_slowed_sampling() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, device_id, data)
        values ('device.sampling_slowed', 'device:' || new.device_id, new.device_id,
                jsonb_build_object('name', (select name from device where id = new.device_id),
                                   'everySeconds', new.every_seconds, 'intervalSeconds', new.interval_seconds));
        return null;
      end $$;
      create trigger monitored_device_makes_event_of_slowed_sampling after update of slowed_month on monitored_device for each row
        when (new.slowed_month is distinct from old.slowed_month)
        execute function event_of_slowed_sampling();
    `;

const SAMPLES = `
      create table device_sample (
        device_id       uuid             not null constraint device_sample_pkey primary key
          constraint device_sample_is_of_a_device references device (id) on delete cascade,
        sampled_at      timestamptz      not null,
        paths           text[]           not null,
        bytes           integer          not null,
        month           date             not null,
        month_bytes     bigint           not null,
        rssi            real,
        rsrp            real,
        rsrq            real,
        sinr            real,
        temperature     real,
        operator        text,
        connection_type text,
        active_sim      smallint,
        uptime_seconds  bigint,
        memory_free     real,
        flash_free      real,
        load1           real,
        load5           real,
        latitude        double precision,
        longitude       double precision,
        data_day        bigint,
        data_month      bigint,
        rest            jsonb            not null,
        constraint device_sample_month_is_its_first_day check (extract(day from month) = 1)
      ) with (fillfactor = 70);
      comment on table device_sample is 'The latest values of each device. A null is no value: the device did not say it, or not in its form.';
      comment on column device_sample.paths is 'What was asked, sorted: samples with equal ones have comparable bytes.';
      comment on column device_sample.bytes is 'Of the sample itself, with handshake and headers, without a login.';
      comment on column device_sample.month_bytes is 'Of all samples and their logins in the month (UTC), with those that failed after the first one.';
      comment on column device_sample.memory_free is 'In percent, as flash_free.';
      comment on column device_sample.data_day is 'Mobile bytes in both directions, in the day of the router''s clock; data_month in its month.';
      comment on column device_sample.rest is 'All modems, interfaces, and the further numbers of policies.';

      create table device_login (
        day       date    not null,
        device_id uuid    not null constraint device_login_is_on_a_device references device (id) on delete cascade,
        logins    integer not null,
        constraint device_login_pkey primary key (day, device_id)
      );
      comment on table device_login is 'How often the gateway logged in on each device and day (UTC); each login costs a small router memory.';
      create index device_login_device_idx on device_login (device_id);
    `;
