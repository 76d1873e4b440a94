import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { lockRow } from '../../http/edits.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type Ignored, ignoredNames, type IgnoredNames, type IgnoredOption, isNamed } from '../desired/ignored.js';
import { type TemplateItem } from '../desired/template-item.js';
import { type IgnoreInput } from './ignored.contract.js';
import { TemplateReach } from './template-reach.js';
import { Template, TEMPLATE_TOPIC, type TemplateContent } from './template.entity.js';
import { Templates } from './templates.service.js';

/*
 * Options of a template that are left on some devices as they are, for a time. One reaches devices as a published version with this
 * option alone would: with the present rights of its author to publish there. It is ended and set again, not changed.
 */

/** What is right for longer belongs in the template: as a custom field, or by another selector. */
const LASTS_MAX_DAYS = 90;

/** Each is judged for each device at each comparison. */
const OF_TEMPLATE_MAX = 100;

const COLUMNS = `
  id, template_id as "templateId", path, key, option, selector, reason, until, created_by as "createdBy", created_by_name as "createdByName",
  operator_id as "operatorId", created_at as "createdAt"`;

export interface IgnoredRow extends IgnoredOption, Omit<TemplateContent, 'items'> {
  readonly id: string;
  readonly templateId: string;
  readonly reason: string;
  readonly until: Date;
  readonly createdByName: string;
  readonly createdAt: Date;
}

/** The rows of a template that hold now, for a statement over devices. */
export interface IgnoredNow {
  /** An expression on table `device`: the ids of those that reach it. */
  readonly sql: string;
  /** What is ignored on a device. @param ids by `sql` @param items of the template @param own the same for the device */
  on(ids: readonly string[], items: readonly TemplateItem[], own: readonly TemplateItem[]): IgnoredNames;
}

@Injectable()
export class IgnoredOptions {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Pick<Audit, 'record'>,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(Templates) private readonly templates: Pick<Templates, 'inForce'>,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'notify'>,
  ) {}

  /** Those that hold now and that a reader may see, the first to end first. */
  async list({ id }: Template, reader: Principal): Promise<IgnoredRow[]> {
    const shown: IgnoredRow[] = [];
    for (const row of await this.holding(id)) if (await this.reach.isVisible(contentOf(row), reader)) shown.push(row);
    return shown;
  }

  /** @throws AppError `invalid_selector`, `forbidden`, `too_many_ignored`, `invalid_input` for an option that no item names and for the end */
  async create(
    template: Template,
    { path, key, option, selector, reason, until }: IgnoreInput,
    actor: Principal,
  ): Promise<IgnoredRow> {
    const now = this.clock.now();
    const lastsMs = until.getTime() - now.getTime();
    if (lastsMs <= 0 || lastsMs > LASTS_MAX_DAYS * 86_400_000)
      throw invalid('until', `must be in the future, and at most ${LASTS_MAX_DAYS} days ahead`);
    const items = [...template.items, ...((await this.templates.inForce(template))?.items ?? [])];
    if (!items.some((item) => isNamed({ path, key, option }, item))) throw invalid('option', 'no item names it there');
    actor.rights.require({ action: 'template.publish', path });
    await this.reach.chosen(selector, actor.rights, []);
    const said = [randomUUID(), template.id, path, JSON.stringify(key), option, selector, reason, until];
    return this.db.transaction(async (tx) => {
      await lockRow(tx, Template, { id: template.id }, 'template_not_found');
      await tx.query('delete from template_ignored where template_id = $1 and until <= $2', [template.id, now]);
      const [row] = await tx.query<IgnoredRow[]>(
        `insert into template_ignored (id, template_id, path, key, option, selector, reason, until, created_by, created_by_name, operator_id, created_at)
         select $1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11, $12
          where (select count(*) from template_ignored where template_id = $2) < ${OF_TEMPLATE_MAX} returning ${COLUMNS}`,
        [...said, actor.actorId, actor.name, actor.operatorId, now],
      );
      if (!row) throw new AppError('too_many_ignored', { limit: OF_TEMPLATE_MAX });
      const facts = { name: template.name, path, key, option, selector, reason, until };
      await this.audit.record(tx, { actor, action: 'template.ignore', subject: `template:${template.id}`, facts });
      await this.notifications.notify(tx, TEMPLATE_TOPIC, template.id);
      return row;
    });
  }

  /** From now on the option counts again. @throws AppError `ignored_not_found`, `forbidden` */
  async end({ id: templateId, name }: Template, id: string, actor: Principal): Promise<void> {
    const row = (await this.holding(templateId)).find((one) => one.id === id);
    if (!row || !(await this.reach.isVisible(contentOf(row), actor))) throw new AppError('ignored_not_found');
    await this.reach.requireAll(contentOf(row), 'template.publish', actor);
    await this.db.transaction(async (tx) => {
      const [, ended] = await tx.query<[unknown[], number]>('delete from template_ignored where id = $1', [id]);
      if (ended === 0) throw new AppError('ignored_not_found');
      const { path, key, option, selector, reason } = row;
      const facts = { name, path, key, option, selector, reason };
      await this.audit.record(tx, { actor, action: 'template.ignore_end', subject: `template:${templateId}`, facts });
      await this.notifications.notify(tx, TEMPLATE_TOPIC, templateId);
    });
  }

  /** Those of a template that hold now. @param values of the statement, to which it adds its own */
  async now(templateId: string, values: unknown[]): Promise<IgnoredNow> {
    const rows = await this.holding(templateId);
    const ids: string[] = [];
    for (const row of rows) {
      const reached = await this.reach.reached(contentOf(row), values);
      if (reached !== null) ids.push(`case when ${reached} then $${values.push(row.id)}::text end`);
    }
    return {
      sql: `array_remove(array[${ids.join()}]::text[], null)`,
      on: (held, items, own) => ignoredNames(rows.filter(({ id }) => held.includes(id)).map(withAuthor), items, own),
    };
  }

  private holding(templateId: string): Promise<IgnoredRow[]> {
    return this.db.query<IgnoredRow[]>(
      `select ${COLUMNS} from template_ignored where template_id = $1 and until > $2 order by until, id`,
      [templateId, this.clock.now()],
    );
  }
}

/** As a version that says this option alone. */
const contentOf = ({ path, key, ...row }: IgnoredRow) => ({
  ...row,
  number: 0,
  items: [{ path, key, mode: 'has' as const, options: {}, sealed: [] }],
});

const withAuthor = ({ until, createdByName, ...row }: IgnoredRow): IgnoredOption & Ignored => ({
  ...row,
  by: createdByName,
  until: until.toISOString(),
});

const invalid = (field: string, detail: string) =>
  new AppError('invalid_input', { errors: [{ pointer: `/body/${field}`, detail }] });
