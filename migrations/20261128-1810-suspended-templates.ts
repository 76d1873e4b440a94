import { type QueryRunner } from 'typeorm';

/** An event where a device is suspended for a template, since two masters set one option. */
export class SuspendedTemplates1795889400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function event_of_suspended_template() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, device_id, data)
        values ('device.template_suspended', 'device:' || new.device_id, new.device_id,
                jsonb_build_object('name', (select name from device where id = new.device_id)));
        return null;
      end $$;
      create trigger template_state_makes_event_of_suspended_template after update of suspended_at on template_state for each row
        when (old.suspended_at is null and new.suspended_at is not null)
        execute function event_of_suspended_template();
    `);
  }
}
