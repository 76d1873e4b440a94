import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The mobile network of a device's modem, for counts and selectors. Devices choose the name, so its length is bounded. */
export class NetworkOperator1795600800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table device add network_operator text');
    await db.query(
      `alter table device add constraint device_network_operator_is_short
        check (char_length(network_operator) between 1 and 64) not valid`,
    );
    await db.query('alter table device validate constraint device_network_operator_is_short');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table device drop column network_operator');
  }
}
