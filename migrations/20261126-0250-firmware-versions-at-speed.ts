import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A selector such as `firmware<7.14` compares the version of every device. Names of one product, one version and at most
 * words behind it are nearly all names: for them the function is one expression, which Postgres takes into the query.
 */
export class FirmwareVersionsAtSpeed1795661400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter function firmware_version(text) rename to odd_firmware_version;
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
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop function firmware_version(text);
      alter function odd_firmware_version(text) rename to firmware_version;
      comment on function firmware_version is 'The numbers of a firmware version, to compare; null when the name tells none.';
    `);
  }
}
