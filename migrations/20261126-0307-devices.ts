import { type QueryRunner } from 'typeorm';

/**
 * The registry of devices, the accounts that the gateway uses on them, and what was learned of them over time. Processes keep
 * devices and accounts in memory until a notification says that one changed.
 */
export class Devices1795662420000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(SEARCH_TEXT);
    await db.query(DEVICE);
    await db.query(ACCOUNT);
    await db.query(FIRMWARE_VERSION);
    await db.query(`
      create table device_change (
        id        bigint      not null generated always as identity constraint device_change_pkey primary key,
        device_id uuid        not null
          constraint device_change_is_of_a_device references device (id) on delete cascade,
        at        timestamptz not null,
        field     text        not null
          constraint device_change_field_is_known
            check (field in
              ('state', 'firmware', 'serial', 'mac', 'model', 'profile', 'api_version', 'claimed_serial', 'claimed_mac')),
        before    text,
        after     text,
        reason    text,
        constraint device_change_changes check (before is distinct from after)
      );
      comment on table device_change is 'What the gateway learned of a device, when it was news: states, firmware, identity.';
      comment on column device_change.reason is 'Why the state changed, for the field state.';
      create index device_change_list_idx on device_change (device_id, id desc);
      -- For the availability of the fleet: without it each look at the states of the last hours reads the whole history.
      create index device_change_state_idx on device_change (at) where field = 'state';

      create table device_field (
        key         text        not null constraint device_field_pkey primary key
          constraint device_field_key_is_a_word check (key ~ '^[a-z][a-z0-9_]{0,39}$'),
        type        text        not null
          constraint device_field_type_is_known check (type in ('text', 'number', 'boolean', 'date', 'choice')),
        choices     text[]      not null default '{}',
        description text        not null default '',
        updated_at  timestamptz not null,
        version     integer     not null default 1,
        constraint device_field_choice_has_choices check ((type = 'choice') = (cardinality(choices) > 0))
      );
      comment on table device_field is 'What devices can be described by, besides the fields that every installation has.';
    `);
  }
}

/*
 * The text is stored: a scan of 50,000 rows takes 50 ms, and 500 ms where it is built for each row. A trigram index is
 * faster to read, but each move of `probe_at` would write it again.
 */
const SEARCH_TEXT = `
      -- The functions in it are stable only because of types that it does not use.
      create function device_search_text(name text, serial text, mac text, model text, site text, tags text[], note text, former text[])
        returns text language sql immutable parallel safe
        as $$
          select lower(concat_ws(e'\\n', name, serial, mac, replace(mac, ':', ''), left(model, 120), site,
                                 array_to_string(tags, ' '), note, array_to_string(former, ' ')))
        $$;
      comment on function device_search_text is 'What GET /v1/devices?q= searches, in lower case.';
    `;

const DEVICE = `
      create table device (
        id                uuid        not null constraint device_pkey primary key,
        name              text        not null
          constraint device_name_is_short check (length(name) between 1 and 120),
        base_url          text        not null,
        serial            text,
        mac               text
          constraint device_mac_is_canonical check (mac ~ '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$'),
        claimed_serial    text
          constraint device_claimed_serial_is_short check (char_length(claimed_serial) between 1 and 64),
        claimed_mac       text
          constraint device_claimed_mac_is_canonical check (claimed_mac ~ '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$'),
        serial_unreadable boolean     not null default false,
        model             text,
        firmware          text,
        network_operator  text
          constraint device_network_operator_is_short check (char_length(network_operator) between 1 and 64),
        site              text        not null default '',
        tags              text[]      not null default '{}',
        note              text        not null default ''
          constraint device_note_is_short check (length(note) <= 1000),
        former_serials    text[]      not null default '{}'
          constraint device_former_serials_are_few check (cardinality(former_serials) <= 20),
        fields            jsonb       not null default '{}'
          constraint device_fields_are_an_object check (jsonb_typeof(fields) = 'object'),
        search_text       text        not null
          generated always as (device_search_text(name, serial, mac, model, site, tags, note, former_serials)) stored,
        time_zone         text,
        profile           text        not null default 'unknown'
          constraint device_profile_is_known check (profile in ('unknown', 'spec', 'rutos')),
        api_version       text,
        sessions          integer     not null default 1
          constraint device_sessions_are_few check (sessions between 1 and 4),
        trust             text        not null default 'pin'
          constraint device_trust_is_known check (trust in ('pin', 'ca', 'insecure')),
        trust_pin         text,
        trust_ca          text,
        trust_expires_at  timestamptz,
        offered_pin       text,
        state             text        not null default 'new'
          constraint device_state_is_known check (state in ('new', 'online', 'offline', 'credentials_refused', 'trust_changed')),
        state_reason      text,
        failed_checks     integer     not null default 0
          constraint device_failed_checks_count_up check (failed_checks >= 0),
        seen_at           timestamptz,
        probe_at          timestamptz not null default '-infinity',
        identify_at       timestamptz not null default '-infinity',
        moved_at          timestamptz,
        created_at        timestamptz not null,
        updated_at        timestamptz not null,
        version           integer     not null default 1,
        constraint device_ca_has_a_bundle      check ((trust = 'ca') = (trust_ca is not null)),
        constraint device_insecure_has_an_end  check ((trust = 'insecure') = (trust_expires_at is not null))
      );
      comment on table device is 'One router of the fleet: where it is, how we know that it is still the same, and what we know of it.';
      comment on column device.claimed_serial is 'A serial number that it reports, and that another device of the registry has.';
      comment on column device.claimed_mac is 'A MAC address that it reports, and that another device of the registry has.';
      comment on column device.serial_unreadable is 'The account of the gateway may not read its serial number, so logins do not compare it.';
      comment on column device.note is 'What people write down about the device.';
      comment on column device.former_serials is 'Of the hardware that was replaced under this name, the latest last.';
      comment on column device.fields is 'Values by the key of device_field. A device need not have each.';
      comment on column device.search_text is 'What GET /v1/devices?q= searches.';
      comment on column device.time_zone is 'IANA name; maintenance windows are on this clock. Null: that of the rollout.';
      comment on column device.sessions is 'Sessions at once for each account; real devices leak memory with each login.';
      comment on column device.failed_checks is 'Checks in a row without an answer; two make it offline.';
      comment on column device.moved_at is
        'When a person last gave it another address or serial number; jobs and rollouts from before do not go on with it.';
      comment on column device.probe_at is 'When the status sweep asks next whether the device is there.';
      comment on column device.identify_at is 'When the status sweep asks next who the device is; that needs a session.';
      create unique index device_name_is_unique     on device (lower(name));
      create unique index device_base_url_is_unique on device (base_url);
      create unique index device_serial_is_unique   on device (serial) where serial is not null;
      create unique index device_mac_is_unique      on device (mac) where mac is not null;
      -- Nearly empty: a look from the other device costs a page.
      create index device_claimed_serial_idx on device (claimed_serial) where claimed_serial is not null;
      create index device_claimed_mac_idx on device (claimed_mac) where claimed_mac is not null;
      create index device_list_idx  on device (created_at, id);
      create index device_site_idx  on device (site, created_at, id);
      create index device_state_idx on device (state, created_at, id);
      create index device_tags_idx  on device using gin (tags);
      create index device_probe_idx on device (probe_at);

      -- When a device was seen and is looked at next moves all the time, and no caller of it needs to know.
      select fleetgate_notify_changes('device', 'device', 'id', '{seen_at, probe_at, identify_at}');
    `;

/*
 * Logins whose password may be refused are counted before they are sent, so that replicas together keep the limit. The next
 * password of an account is beside the present one until the device has proven which of the two it takes.
 */
const ACCOUNT = `
      create table device_account (
        id               uuid        not null constraint device_account_pkey primary key,
        device_id        uuid        not null
          constraint device_account_belongs_to_a_device references device (id) on delete cascade,
        purpose          text        not null default 'main'
          constraint device_account_purpose_is_known check (purpose in ('main', 'read')),
        username         text        not null,
        sealed_password  bytea       not null,
        failed_logins    integer     not null default 0
          constraint device_account_failures_count_up check (failed_logins >= 0),
        changed_at       timestamptz not null,
        proven_for       timestamptz,
        reserved_logins  integer     not null default 0
          constraint device_account_reservations_count_up check (reserved_logins >= 0),
        reserved_until   timestamptz not null default '-infinity',
        sealed_pending   bytea,
        pending_job      uuid,
        pending_tried_by uuid,
        pending_logins   integer     not null default 0
          constraint device_account_pending_logins_count_up check (pending_logins >= 0),
        pending_refused  text[]      not null default '{}',
        changing_until   timestamptz,
        rotated_by       uuid,
        constraint device_account_purpose_is_unique unique (device_id, purpose),
        constraint device_account_pending_has_a_job check ((sealed_pending is null) = (pending_job is null))
      );
      comment on table device_account is 'A login that the gateway uses on a device. The password is sealed; failed logins count until the credentials change.';
      comment on column device_account.proven_for is
        'The changed_at of the credentials that the device last took; those need no reservation until it refuses them.';
      comment on column device_account.reserved_logins is
        'Logins under way that may be refused; they count as refused until they ended, or until reserved_until.';
      comment on column device_account.sealed_pending is
        'The next password, from before it is sent to the device until a login has proven it. What a rotation could not resolve stays for the next one.';
      comment on column device_account.pending_job is 'The job that made the pending password.';
      comment on column device_account.pending_logins is
        'Logins that the job pending_tried_by made to find out which password counts, refused or without an answer.';
      comment on column device_account.pending_refused is
        'Which of the passwords, pending or present, the device refused to that job: it is not asked again.';
      comment on column device_account.changing_until is
        'Until then no session logs in: which password the device takes is just being changed.';
      comment on column device_account.rotated_by is 'The job that made the present password.';
      select fleetgate_sealed('device_account', 'sealed_password');
      select fleetgate_sealed('device_account', 'sealed_pending');

      -- Few devices have an account for reads. With this index a list of devices looks into a few pages for them; without it
      -- Postgres goes through the accounts of the whole fleet.
      create index device_account_read_idx on device_account (device_id) where purpose = 'read';
      select fleetgate_notify_changes('device_account', 'device', 'device_id', '{reserved_logins, reserved_until}');
    `;

/*
 * A selector such as `firmware<7.14` compares the version of every device. Names of one product, one version and at most
 * words behind it are nearly all names: for them the function is one expression, which Postgres takes into the query.
 */
const FIRMWARE_VERSION = `
      -- The one run of dotted digits in a name, as src/device-api/firmware-version.ts finds it; null when there is none, or
      -- when there are two.
      create function odd_firmware_version(name text) returns integer[]
        language sql immutable parallel safe strict
        as $$
          with named as (
            select name, substring(name from '^[^+(]*') as head
              where char_length(name) <= 256 and name !~ '[0-9][.][xX*](?![A-Za-z0-9])'
          ), front as (
            select (regexp_matches(head, '(?<![A-Za-z0-9.])[vV]?([0-9]+(?:[.][0-9]+)+)', 'g'))[1] as digits from named
          ), anywhere as (
            select digits from front
            union all
            select (regexp_matches(name, '(?<![A-Za-z0-9.])[vV]?([0-9]+(?:[.][0-9]+)+)', 'g'))[1]
              from named where not exists (select from front)
          ), found as (
            select digits from anywhere
            union all
            select substring(name from '^ *[vV]?([0-9]+) *$') from named where not exists (select from anywhere)
          ), trimmed as (
            select regexp_replace(regexp_replace(digits, '^00+[.]', ''), '([.]0+)+$', '') as digits
              from found where digits is not null
          ), numbers as (
            select distinct array(
              select part::numeric
                from unnest(string_to_array(digits, '.')) with ordinality as parts (part, place) order by place
            ) as parts from trimmed
          )
          select case when min(parts[1]) <= 999 and 2147483647 >= all (min(parts)) then min(parts)::integer[] end
            from numbers having count(*) = 1
        $$;
      comment on function odd_firmware_version is 'firmware_version of any name, which takes four times as long.';

      create function firmware_version(name text) returns integer[]
        language sql immutable parallel safe -- a strict function would not be taken into the query
        as $$
          select case
            when name ~ '^([A-Za-z0-9]+_)*[0-9]{1,3}([.][0-9]{1,3})+(_[A-Za-z0-9_]*)?$' and char_length(name) <= 256
            then string_to_array(
              regexp_replace(
                substring(name from '(?:^|_)((?:[0-9]+[.])+[0-9]+)'), '^00+[.]|([.]0+)+$', '', 'g'
              ), '.'
            )::integer[]
            else odd_firmware_version(name)
          end
        $$;
      comment on function firmware_version is 'The numbers of a firmware version, to compare; null when the name tells none.';
    `;
