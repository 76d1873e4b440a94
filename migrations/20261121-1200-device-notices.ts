import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Processes keep devices and their accounts in memory until they are told that one changed. */
export class DeviceNotices1763726400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // When a device was seen and is looked at next moves all the time, and nobody who calls it needs to know.
    await db.query(`
      select fleetgate_notify_changes('device', 'device', 'id', '{seen_at, probe_at, identify_at}');
      select fleetgate_notify_changes('device_account', 'device', 'device_id', '{reserved_logins, reserved_until}');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop trigger device_tells_insert on device;
      drop trigger device_tells_update on device;
      drop trigger device_tells_delete on device;
      drop trigger device_account_tells_insert on device_account;
      drop trigger device_account_tells_update on device_account;
      drop trigger device_account_tells_delete on device_account;
    `);
  }
}
