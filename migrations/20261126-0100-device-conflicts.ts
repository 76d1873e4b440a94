import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Facts that a device reports and that belong to another device: they are kept beside its own, for people to see. */
export class DeviceConflicts1795654800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device
        add column claimed_serial text
          constraint device_claimed_serial_is_short check (char_length(claimed_serial) between 1 and 64),
        add column claimed_mac text
          constraint device_claimed_mac_is_canonical check (claimed_mac ~ '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$');
      alter table device add column serial_unreadable boolean not null default false;
      comment on column device.serial_unreadable is 'The account of the gateway may not read its serial number, so logins do not compare it.';
      comment on column device.claimed_serial is 'A serial number that it reports, and that another device of the registry has.';
      comment on column device.claimed_mac is 'A MAC address that it reports, and that another device of the registry has.';
      -- Nearly empty: a look from the other device costs a page.
      create index device_claimed_serial_idx on device (claimed_serial) where claimed_serial is not null;
      create index device_claimed_mac_idx on device (claimed_mac) where claimed_mac is not null;

      alter table device_change drop constraint device_change_field_is_known;
      alter table device_change add constraint device_change_field_is_known
        check (field in ('state', 'firmware', 'serial', 'mac', 'model', 'profile', 'api_version', 'claimed_serial', 'claimed_mac'))
        not valid; -- DeviceChangesChecked looks at the rows of before

      -- Both devices get an event. It names no other device: its reader may not see that one.
      create function event_of_conflict() returns trigger language plpgsql as $$
      declare
        one record;
      begin
        for one in
          select device.id, device.name, claim.field, claim.value
            from (values ('mac', old.claimed_mac, new.claimed_mac), ('serial', old.claimed_serial, new.claimed_serial))
                   as claim (field, before, value)
            join device on device.id = new.id
                        or (claim.field = 'mac' and device.mac = claim.value)
                        or (claim.field = 'serial' and device.serial = claim.value)
           where claim.value is not null and claim.value is distinct from claim.before
        loop
          insert into event (type, subject, device_id, data)
          values ('device.identity_conflict', 'device:' || one.id, one.id,
                  jsonb_build_object('name', one.name, 'field', one.field, 'value', one.value));
        end loop;
        return null;
      end $$;
      create trigger device_makes_event_of_conflict after update of claimed_mac, claimed_serial on device for each row
        when (old.claimed_mac is distinct from new.claimed_mac or old.claimed_serial is distinct from new.claimed_serial)
        execute function event_of_conflict();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop trigger device_makes_event_of_conflict on device;
      drop function event_of_conflict;
      delete from device_change where field in ('claimed_serial', 'claimed_mac');
      alter table device_change drop constraint device_change_field_is_known;
      alter table device_change add constraint device_change_field_is_known
        check (field in ('state', 'firmware', 'serial', 'mac', 'model', 'profile', 'api_version'));
      alter table device drop column claimed_serial, drop column claimed_mac, drop column serial_unreadable;
    `);
  }
}
