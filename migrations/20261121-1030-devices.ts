import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The registry of devices and the accounts that the gateway uses on them. */
export class Devices1763721000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table device (
        id                uuid        not null constraint device_pkey primary key,
        name              text        not null
          constraint device_name_is_short check (length(name) between 1 and 120),
        base_url          text        not null,
        serial            text,
        mac               text
          constraint device_mac_is_canonical check (mac ~ '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$'),
        model             text,
        firmware          text,
        site              text        not null default '',
        tags              text[]      not null default '{}',
        profile           text        not null default 'unknown'
          constraint device_profile_is_known check (profile in ('unknown', 'spec', 'rutos')),
        api_version       text,
        trust             text        not null default 'pin'
          constraint device_trust_is_known check (trust in ('pin', 'ca', 'insecure')),
        trust_pin         text,
        trust_ca          text,
        trust_expires_at  timestamptz,
        offered_pin       text,
        state             text        not null default 'new'
          constraint device_state_is_known check (state in ('new', 'online', 'offline', 'credentials_refused', 'trust_changed')),
        state_reason      text,
        seen_at           timestamptz,
        created_at        timestamptz not null,
        updated_at        timestamptz not null,
        version           integer     not null default 1,
        constraint device_ca_has_a_bundle      check ((trust = 'ca') = (trust_ca is not null)),
        constraint device_insecure_has_an_end  check ((trust = 'insecure') = (trust_expires_at is not null))
      );
      comment on table device is 'One router of the fleet: where it is, how we know that it is still the same, and what we know of it.';
      create unique index device_name_is_unique     on device (lower(name));
      create unique index device_base_url_is_unique on device (base_url);
      create unique index device_serial_is_unique   on device (serial) where serial is not null;
      create unique index device_mac_is_unique      on device (mac) where mac is not null;
      create index device_list_idx  on device (created_at, id);
      create index device_site_idx  on device (site, created_at, id);
      create index device_state_idx on device (state, created_at, id);
      create index device_tags_idx  on device using gin (tags);

      create table device_account (
        id              uuid        not null constraint device_account_pkey primary key,
        device_id       uuid        not null
          constraint device_account_belongs_to_a_device references device (id) on delete cascade,
        purpose         text        not null default 'main'
          constraint device_account_purpose_is_known check (purpose in ('main', 'read')),
        username        text        not null,
        sealed_password bytea       not null,
        failed_logins   integer     not null default 0
          constraint device_account_failures_count_up check (failed_logins >= 0),
        changed_at      timestamptz not null,
        constraint device_account_purpose_is_unique unique (device_id, purpose)
      );
      comment on table device_account is 'A login that the gateway uses on a device. The password is sealed; failed logins count until the credentials change.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table device_account, device');
  }
}
