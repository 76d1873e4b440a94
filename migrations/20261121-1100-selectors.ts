import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What selectors need of the database: the order of firmware versions, and selectors that were given a name. */
export class Selectors1763722800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The last run of dotted digits, zeros in front and at the end aside: RUTX_R_00.07.14.2 is {7,14,2}.
      create function firmware_version(name text) returns integer[]
        language sql immutable parallel safe strict
        as $$
          with run as (
            select (regexp_matches(name, '([0-9]+(?:[.][0-9]+)*)[^0-9]*$'))[1] as digits
          ), trimmed as (
            select regexp_replace(regexp_replace(digits, '^(0+[.])+(?=[0-9])', ''), '([.]0+)+$', '') as digits from run
          )
          select array(
            select least(part::numeric, 2147483647)::integer
              from unnest(string_to_array(digits, '.')) with ordinality as parts (part, place) order by place
          ) from trimmed
        $$;
      comment on function firmware_version is 'The numbers of a firmware version, to compare; null when the name has none.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function firmware_version');
  }
}
