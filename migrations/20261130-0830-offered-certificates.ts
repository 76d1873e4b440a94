import { type QueryRunner } from 'typeorm';

/** What a device shows instead of the certificate that it is known by: the person who decides about it reads more than its key. */
export class OfferedCertificates1796027400000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column offered_certificate jsonb;
      comment on column device.offered_certificate is 'The certificate of offered_pin: names, key, dates. Null: there is none, or it could not be read.';
    `);
  }
}
