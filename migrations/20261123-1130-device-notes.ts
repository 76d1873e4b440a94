import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A note on each device, and the text that a free search reads. The text is stored: a scan of 50,000 rows takes 50 ms, and 500 ms
 * where it is built for each row. A trigram index is faster to read, but each move of `probe_at` would write it again.
 */
export class DeviceNotes1795435800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column note text not null default ''
        constraint device_note_is_short check (length(note) <= 1000);
      comment on column device.note is 'What people write down about the device.';

      alter table device add column former_serials text[] not null default '{}'
        constraint device_former_serials_are_few check (cardinality(former_serials) <= 20);
      comment on column device.former_serials is 'Of the hardware that was replaced under this name, the latest last.';

      -- The functions in it are stable only because of types that it does not use.
      create function device_search_text(name text, serial text, mac text, model text, site text, tags text[], note text, former text[])
        returns text language sql immutable parallel safe
        as $$
          select lower(concat_ws(e'\\n', name, serial, mac, replace(mac, ':', ''), left(model, 120), site,
                                 array_to_string(tags, ' '), note, array_to_string(former, ' ')))
        $$;
      comment on function device_search_text is 'What GET /v1/devices?q= searches, in lower case.';

      -- It rewrites the table: a second for 50,000 devices.
      alter table device add column search_text text not null
        generated always as (device_search_text(name, serial, mac, model, site, tags, note, former_serials)) stored;
      comment on column device.search_text is 'What GET /v1/devices?q= searches.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device drop column search_text;
      drop function device_search_text;
      alter table device drop column note, drop column former_serials;
    `);
  }
}
