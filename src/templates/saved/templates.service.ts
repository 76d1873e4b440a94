import { hash, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { lockVersion } from '../../http/edits.js';
import { canonical } from '../../jobs/kind-api/intended-items.js';
import { newestRows } from '../../http/newest-first.js';
import { type Page } from '../../http/page.js';
import { AppError } from '../../platform/errors.js';
import { refuseMarkersIn } from '../../proxy/calls/marker-check.js';
import { AuthoredService } from '../../recurring/authored.service.js';
import { type AuthoredRow } from '../../recurring/recurring.js';
import { type SyncState } from '../desired/sync-state.js';
import { NEEDED_TO_READ, TemplateReach, type TemplatePermission } from './template-reach.js';
import { SealedValuesService } from '../../jobs/sealed-values/sealed-values.service.js';
import { TemplateSecrets, valueIdsOf } from './template-secrets.js';
import {
  pathsOf,
  type PublishedVersion,
  Template,
  TEMPLATE_TOPIC,
  type TemplateContent,
  VERSION_COLUMNS,
} from './template.entity.js';
import { type TemplateInput, type VersionsQuery } from './templates.contract.js';

/**
 * Templates, as operators see and change them. Saving changes the draft alone, publishing makes a version that never changes, and
 * neither changes a router. A template out of sight counts as missing.
 */
@Injectable()
export class Templates extends AuthoredService<Template, TemplateInput> {
  /** Those of this process wait here: one that waits for the lock has a connection that the holder of the lock may need. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(TemplateSecrets) private readonly secrets: TemplateSecrets,
    @Inject(SealedValuesService) private readonly values: Pick<SealedValuesService, 'removeCopies'>,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'notify'>,
  ) {
    super('template', Template);
  }

  /** @throws AppError `template_not_found` */
  async named(name: string, reader: Principal): Promise<Template> {
    const template = await this.db.manager.findOneBy(Template, { name });
    if (!template || !(await this.reach.isVisible(template, reader))) throw new AppError('template_not_found');
    return template;
  }

  /** Those that a reader may see, by name. */
  async visible(reader: Principal): Promise<Template[]> {
    const shown: Template[] = [];
    for (const template of await this.list()) if (await this.reach.isVisible(template, reader)) shown.push(template);
    return shown;
  }

  /** Whether `create` will take it, for a caller that stores other things first. @throws AppError as `create` */
  async requireCreatable(input: TemplateInput, actor: Principal): Promise<void> {
    await this.requireAuthor(input, actor);
    if (await this.db.manager.existsBy(Template, { name: input.name })) throw new AppError('template_exists');
  }

  /** What `create`, or `replace` of one with an id, would store: it is taken back at once. @throws AppError as these */
  async rehearse(input: TemplateInput, id: string | null, ifMatch: number | null, actor: Principal): Promise<Template> {
    await this.requireAuthor(input, actor);
    const runner = this.db.createQueryRunner();
    await runner.startTransaction();
    try {
      const tx = runner.manager;
      const found = id === null ? null : await lockVersion(tx, Template, { id }, ifMatch, 'template_not_found');
      if (input.name !== found?.name && (await tx.existsBy(Template, { name: input.name })))
        throw new AppError('template_exists');
      return await this.write(tx, input, found, actor);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  /** Newest first. @throws AppError `template_not_found`, `invalid_cursor` */
  async versions(name: string, page: VersionsQuery, reader: Principal): Promise<Page<PublishedVersion>> {
    const { id } = await this.named(name, reader);
    const sql = `select ${VERSION_COLUMNS} from template_version entry where entry.template_id = $1`;
    const time = ['published_at', (row: PublishedVersion) => row.publishedAt] as const;
    const found = await newestRows<PublishedVersion>(this.db.manager, `templates/${id}`, page, {
      sql,
      values: [id],
      time,
    });
    const items: PublishedVersion[] = [];
    for (const entry of found.items) if (await this.reach.isVisible(entry, reader)) items.push(entry);
    return { ...found, items };
  }

  /** The version in force; null: none was published. */
  inForce({ id, publishedNumber }: Template): Promise<PublishedVersion | null> {
    return this.findVersion(this.db.manager, id, publishedNumber);
  }

  /** How many devices are in which state, of those that the reader may see. */
  async sync(template: Template, { rights }: Principal): Promise<Partial<Record<SyncState, number>>> {
    const version = await this.inForce(template);
    if (!version) return {};
    const values: unknown[] = [template.id];
    const seen = this.reach.held(rights, NEEDED_TO_READ, pathsOf(version.items), values);
    const rows = await this.db.query<{ state: SyncState; devices: number }[]>(
      `select state, count(*)::int as devices from template_state
        where template_id = $1 and device_id in (select id from device where ${seen}) group by 1`,
      values,
    );
    return Object.fromEntries(rows.map(({ state, devices }) => [state, devices]));
  }

  /**
   * Ends the suspension of devices, where the actor may publish at all paths. What was put back is counted from nothing.
   * @returns of how many @throws AppError `invalid_selector`
   */
  async resume(template: Template, selector: string, actor: Principal): Promise<number> {
    const version = await this.inForce(template);
    const values: unknown[] = [template.id, this.clock.now()];
    const chosen = await this.reach.named(selector, actor.rights, values);
    const held = this.reach.held(actor.rights, ['template.publish'], pathsOf(version?.items ?? []), values);
    return this.db.transaction(async (tx) => {
      const [, devices] = await tx.query<[unknown[], number]>(
        `update template_state set suspended_at = null, put_back = '{}', state = 'pending', since = $2, compared_from = null
          where template_id = $1 and suspended_at is not null and device_id in (select id from device where ${chosen} and ${held})`,
        values,
      );
      await this.record(tx, 'template.resume', template, actor, { selector, devices });
      await this.notifications.notify(tx, TEMPLATE_TOPIC, template.id);
      return devices;
    });
  }

  /** @throws AppError `template_not_found`, `template_version_not_found` */
  async version(name: string, number: number, reader: Principal): Promise<PublishedVersion> {
    const { id } = await this.named(name, reader);
    const found = await this.findVersion(this.db.manager, id, number);
    if (!found || !(await this.reach.isVisible(found, reader))) throw new AppError('template_version_not_found');
    return found;
  }

  /**
   * Publishes the draft in the name of the actor. A draft that they have published already is not published again.
   * @throws AppError `template_not_found`, `version_changed`, `template_overlaps`, `forbidden`, `rights_not_held`, `invalid_selector`
   */
  publish(name: string, reason: string, ifMatch: number | null, actor: Principal): Promise<PublishedVersion> {
    const mine = this.turn.then(() => this.publishNext(name, reason, ifMatch, actor));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async publishNext(name: string, reason: string, ifMatch: number | null, actor: Principal) {
    const { id } = await this.named(name, actor);
    await this.rights.requireUnnarrowed(actor);
    return this.db.transaction(async (tx) => {
      // One at a time in the installation: two that overlap would not see each other.
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.templatePublishing]);
      const template = await lockVersion(tx, Template, { id }, ifMatch, 'template_not_found');
      await this.requireAll(tx, template, 'template.publish', actor);
      await this.reach.chosen(template.selector, actor.rights, []);
      const before = await this.findVersion(tx, id, template.publishedNumber);
      const overlaps = await this.reach.overlaps(template, actor.rights, 'template.publish', tx);
      if (overlaps.length > 0) {
        const [{ template: other, devices, path, option }] = overlaps as [(typeof overlaps)[number]];
        throw new AppError('template_overlaps', {
          template: name,
          other,
          devices,
          path,
          option,
          more: overlaps.length - 1,
        });
      }
      if (before?.operatorId === actor.operatorId && digestOf(before) === digestOf(template)) return before;
      const entry = await this.addVersion(tx, template, reason, actor);
      template.publishedNumber = entry.number;
      await tx.save(template);
      const facts = { number: entry.number, before: before?.number ?? null, reason, ...this.factsOf(entry) };
      await this.record(tx, 'template.publish', template, actor, facts);
      await this.notifications.notify(tx, TEMPLATE_TOPIC, id);
      return entry;
    });
  }

  /** Of a published one, too: what it has set on devices stays. @throws AppError `template_not_found`, `version_changed`, `forbidden` */
  async removeNamed(name: string, ifMatch: number | null, actor: Principal): Promise<void> {
    const template = await this.named(name, actor);
    const permission = template.publishedNumber === null ? 'template.edit' : 'template.publish';
    await this.requireAll(this.db.manager, template, permission, actor);
    await this.remove(template.id, ifMatch ?? template.version, actor);
  }

  /** @throws AppError `invalid_selector`, `forbidden`, `rights_not_held`, `redaction_marker` */
  protected async requireAuthor({ selector, items }: TemplateInput, actor: Principal): Promise<void> {
    await this.rights.requireUnnarrowed(actor);
    refuseMarkersIn(items);
    for (const path of pathsOf(items)) actor.rights.require({ action: 'template.edit', path });
    await this.reach.chosen(selector, actor.rights, []);
  }

  protected async fieldsOf(
    { name, selector, items }: TemplateInput,
    { id }: Pick<AuthoredRow, 'id' | 'createdAt'>,
    found: Template | null,
    author: Principal,
    tx: EntityManager,
  ) {
    if (found) await this.requireAll(tx, found, 'template.edit', author);
    const adopted = await this.secrets.adopt(tx, items, { id, name }, found, author);
    return { selector, items: adopted, publishedNumber: found?.publishedNumber ?? null };
  }

  protected override async afterChange(tx: EntityManager, change: string, { id, items }: Template): Promise<void> {
    const versions = await tx.query<Pick<Template, 'items'>[]>(
      'select items from template_version where template_id = $1',
      [id],
    );
    const named = change === 'remove' ? null : [items, ...versions.map((version) => version.items)].flatMap(valueIdsOf);
    await this.values.removeCopies(tx, id, named);
  }

  protected factsOf(content: Pick<TemplateContent, 'selector' | 'items'>) {
    const { selector, items } = content;
    return { selector, items: items.length, paths: pathsOf(items), digest: digestOf(content) };
  }

  /** Of what is in force, too: it would go, or reach devices with other rights. */
  private async requireAll(
    tx: EntityManager,
    template: Template,
    permission: TemplatePermission,
    actor: Principal,
  ): Promise<void> {
    const published = await this.findVersion(tx, template.id, template.publishedNumber);
    for (const content of published ? [template, published] : [template])
      await this.reach.requireAll(content, permission, actor);
  }

  private async findVersion(
    tx: EntityManager,
    templateId: string,
    number: number | null,
  ): Promise<PublishedVersion | null> {
    const [found] = await tx.query<PublishedVersion[]>(
      `select ${VERSION_COLUMNS} from template_version entry where template_id = $1 and number = $2`,
      [templateId, number],
    );
    return found ?? null;
  }

  private async addVersion(
    tx: EntityManager,
    { id, selector, items }: Template,
    reason: string,
    actor: Principal,
  ): Promise<PublishedVersion> {
    const [entry] = await tx.query<[PublishedVersion]>(
      `insert into template_version as entry
              (id, template_id, number, selector, items, reason, created_by, created_by_name, operator_id, published_at)
       select $1, $2, coalesce(max(number), 0) + 1, $3, $4::jsonb, $5, $6, $7, $8, $9 from template_version where template_id = $2
       returning ${VERSION_COLUMNS}`,
      [
        randomUUID(),
        id,
        selector,
        JSON.stringify(items),
        reason,
        actor.actorId,
        actor.name,
        actor.operatorId,
        this.clock.now(),
      ],
    );
    return entry;
  }
}

/** Of what a template says, for the audit and to find that nothing changed. */
const digestOf = ({ selector, items }: Pick<TemplateContent, 'selector' | 'items'>): string =>
  hash('sha256', canonical([selector, items]), 'hex');
