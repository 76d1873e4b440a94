import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The 0 of 0.9.1 counts; dates, parts left open and numbers that do not fit are no versions. */
export class FirmwareVersionsThatCanBeTold1795661100000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The one run of dotted digits in a name, as src/device-api/firmware-version.ts finds it; null when there is none, or
      -- when there are two.
      create or replace function firmware_version(name text) returns integer[]
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
      comment on function firmware_version is 'The numbers of a firmware version, to compare; null when the name tells none.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      -- The one run of dotted digits in a name, as src/device-api/firmware-version.ts finds it; null when there is none, or
      -- when there are two.
      create or replace function firmware_version(name text) returns integer[]
        language sql immutable parallel safe strict
        as $$
          with named as (
            select name, substring(name from '^[^+(]*') as head where char_length(name) <= 256
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
            select regexp_replace(regexp_replace(digits, '^(0+[.])+(?=[0-9])', ''), '([.]0+)+$', '') as digits
              from found where digits is not null
          ), numbers as (
            select distinct array(
              select least(part::numeric, 2147483647)::integer
                from unnest(string_to_array(digits, '.')) with ordinality as parts (part, place) order by place
            ) as parts from trimmed
          )
          select min(parts) from numbers having count(*) = 1
        $$;
      comment on function firmware_version is 'The numbers of a firmware version, to compare; null when the name tells none.';
    `);
  }
}
