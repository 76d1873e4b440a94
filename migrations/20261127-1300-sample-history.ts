import { type QueryRunner } from 'typeorm';

/** Some days of samples: a ring of 32 partitions, one for each day. A day is emptied by `truncate`, so no row is ever deleted. */
export class SampleHistory1795784400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(HISTORY);
  }
}

const HISTORY = `
      create table device_sample_history (
        ring           smallint    not null,
        device_id      uuid        not null,
        at             timestamptz not null,
        rssi           real,
        rsrp           real,
        rsrq           real,
        sinr           real,
        temperature    real,
        uptime_seconds real,
        memory_free    real,
        flash_free     real,
        load1          real,
        load5          real,
        data_day       real,
        data_month     real
      ) partition by list (ring);
      comment on table device_sample_history is 'Samples of the last days. A null is no value. Rows of a removed device go with their day.';
      comment on column device_sample_history.ring is 'The number of the day since 1970 (UTC), modulo 32. All rows of a partition are of one day.';
      create index device_sample_history_device_idx on device_sample_history (device_id, at);
      revoke update, delete on device_sample_history from fleetgate_app;

      do $$
      declare part text;
      begin
        for ring in 0..31 loop
          part := 'device_sample_history_' || lpad(ring::text, 2, '0');
          execute format('create table %I partition of device_sample_history for values in (%s)', part, ring);
          execute format('comment on table %I is %L', part, 'A day of device_sample_history.');
          execute format('revoke all on %I from fleetgate_app', part);
          execute format('grant truncate on %I to fleetgate_app', part);
        end loop;
      end $$;
    `;
