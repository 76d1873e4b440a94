import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What was learned of devices over time, and when each is looked at next. */
export class DeviceHistory1763724000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table device_change (
        id        bigint      not null generated always as identity constraint device_change_pkey primary key,
        device_id uuid        not null
          constraint device_change_is_of_a_device references device (id) on delete cascade,
        at        timestamptz not null,
        field     text        not null
          constraint device_change_field_is_known
            check (field in ('state', 'firmware', 'serial', 'mac', 'model', 'profile', 'api_version')),
        before    text,
        after     text,
        constraint device_change_changes check (before is distinct from after)
      );
      comment on table device_change is 'What the gateway learned of a device, when it was news: states, firmware, identity.';
      create index device_change_list_idx on device_change (device_id, id desc);

      alter table device
        add column probe_at    timestamptz not null default '-infinity',
        add column identify_at timestamptz not null default '-infinity';
      comment on column device.probe_at is 'When the status sweep asks next whether the device is there.';
      comment on column device.identify_at is 'When the status sweep asks next who the device is; that needs a session.';
      create index device_probe_idx on device (probe_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table device drop column probe_at, drop column identify_at; drop table device_change');
  }
}
