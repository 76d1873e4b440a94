import { type QueryRunner } from 'typeorm';

/** Receivers of notifications by mail: addresses, and whether their owners want it. */
export class MailAddresses1795810200000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table webhook
        drop constraint webhook_format_is_known,
        add constraint webhook_format_is_known
          check (format in ('cloudevents', 'slack', 'teams', 'discord', 'telegram', 'ntfy', 'mail')),
        add constraint webhook_by_mail_has_an_address check ((format = 'mail') = (url like 'mailto:%'));

      create table mail_address (
        address      text        not null constraint mail_address_pkey primary key,
        code_digest  bytea,
        code_sent_at timestamptz not null,
        tries        integer     not null default 0,
        confirmed_at timestamptz
      );
      comment on table mail_address is 'Addresses in small letters, and whether their owner has confirmed them by a code.';
      comment on column mail_address.tries is 'Codes that were tried since the last one was sent.';
    `);
  }
}
