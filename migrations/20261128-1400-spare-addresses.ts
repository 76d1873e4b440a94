import { type QueryRunner } from 'typeorm';

/** A second address of a device, and whether it answers there now. */
export class SpareAddresses1795874400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device
        add column spare_url text,
        add column by_spare  boolean not null default false,
        add constraint device_spare_url_is_unique unique (spare_url),
        add constraint device_answers_by_a_spare_that_it_has check (spare_url is not null or not by_spare);
      comment on column device.spare_url is 'Where calls go while the device does not answer at base_url; null: nowhere else.';
      comment on column device.by_spare is 'Whether the device answers at spare_url now, and not at base_url.';

      -- One address belongs to one device, in either column. Who writes a spare address waits for all that write addresses
      -- (deviceAddresses in advisory-locks.ts).
      create function device_addresses_are_unique() returns trigger language plpgsql as $$
      declare
        lock_key constant bigint := 4711202627;
      begin
        if new.spare_url is null then
          perform pg_advisory_xact_lock_shared(lock_key);
        else
          perform pg_advisory_xact_lock(lock_key);
        end if;
        if new.spare_url = new.base_url or exists (select from device where base_url = new.spare_url and id <> new.id) then
          raise unique_violation using constraint = 'device_spare_url_is_unique';
        end if;
        if exists (select from device where spare_url = new.base_url and id <> new.id) then
          raise unique_violation using constraint = 'device_base_url_is_unique';
        end if;
        return null;
      end $$;
      create constraint trigger device_addresses_are_unique after insert or update of base_url, spare_url on device
        for each row execute function device_addresses_are_unique();

      alter table device_change
        drop constraint device_change_field_is_known,
        add constraint device_change_field_is_known check (field in
          ('state', 'firmware', 'serial', 'mac', 'model', 'profile', 'api_version', 'claimed_serial', 'claimed_mac', 'address'))
          not valid;
    `);
  }
}
