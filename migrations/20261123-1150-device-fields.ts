import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Fields of devices that administrators define. */
export class DeviceFields1795437000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
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

      alter table device add column fields jsonb not null default '{}'
        constraint device_fields_are_an_object check (jsonb_typeof(fields) = 'object');
      comment on column device.fields is 'Values by the key of device_field. A device need not have each.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table device drop column fields; drop table device_field');
  }
}
