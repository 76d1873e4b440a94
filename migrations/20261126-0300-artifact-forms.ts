import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Whether the bytes of stored firmware were recognised as an image, for the plan of a rollout. */
export class ArtifactForms1795662000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table artifact add column is_image boolean;
      comment on column artifact.is_image is
        'Firmware: whether its bytes were recognised as an image when they were stored; null: not looked at.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table artifact drop column is_image');
  }
}
