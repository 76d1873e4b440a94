import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { isAuthor } from '../../auth/access/shown-selector.js';
import { Authors, type HasAuthor } from '../../auth/keys/authors.service.js';
import { type Permission } from '../../auth/rights/permissions.js';
import { type Rights } from '../../auth/rights/rights.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { noMeasure, readLimitedSelector } from '../../monitoring/samples/limited-selector.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { unreadableOf } from '../../recurring/unreadable.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { overlapsOf } from '../desired/overlap.js';
import { pathsOf, type Published, type TemplateContent, VERSION_COLUMNS } from './template.entity.js';
import { type OverlapView } from './templates.contract.js';

/*
 * Which devices a template reaches: those of its selector on which its author holds the right at all of its paths. From this
 * follows who sees it and who may change it. All is decided in the database, without a look at single devices.
 */

export type TemplatePermission = Extract<Permission, `template.${string}`>;

/** With which its author reaches devices: a draft says what was meant, a published version what is in force. */
const reaching = (content: TemplateContent): TemplatePermission =>
  'number' in content ? 'template.publish' : 'template.edit';

/** The rights at each path of a template with which a reader sees what a device has, beside what it should have. */
export const NEEDED_TO_READ = ['template.read', 'observed.read', 'device.call_read'] as const satisfies Permission[];

@Injectable()
export class TemplateReach {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** A condition on table `device`: the devices of a selector. @throws AppError `invalid_selector` */
  async chosen(selector: string, rights: Rights, values: unknown[]): Promise<string> {
    const tree = await readLimitedSelector(this.selectors, selector, rights, noMeasure);
    return selectorSql(tree, values, this.clock.now(), rights);
  }

  /** As `chosen`, for a reader who may name devices by any term. @throws AppError `invalid_selector` */
  async named(selector: string, rights: Rights, values: unknown[]): Promise<string> {
    return selectorSql(await this.selectors.read(selector, rights), values, this.clock.now(), rights);
  }

  /** A condition on table `device`: where permissions are held at each path. */
  held(rights: Rights, needed: readonly Permission[], paths: readonly string[], values: unknown[]): string {
    const now = this.clock.now();
    const atPaths = needed.flatMap((permission) => paths.map((path) => rights.sql(permission, values, now, path)));
    return [rights.sql('device.read', values, now), ...atPaths].join(' and ');
  }

  /** The versions in force, by name. */
  published(tx: EntityManager = this.db.manager): Promise<Published[]> {
    return tx.query<Published[]>(
      `select ${VERSION_COLUMNS}, template.name
         from template join template_version entry on entry.template_id = template.id and entry.number = template.published_number
        order by template.name`,
    );
  }

  /** The devices that its author reaches now; null: none, since the author is gone or the selector cannot be read. */
  async reached(content: TemplateContent, values: unknown[]): Promise<string | null> {
    const rights = await this.authors.rightsOf(content);
    if (!rights) return null;
    const before = values.length;
    try {
      const chosen = await this.chosen(content.selector, rights, values);
      return `${chosen} and ${this.held(rights, [reaching(content)], pathsOf(content.items), values)}`;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      values.length = before;
      return null;
    }
  }

  /** Those whose selector their author can no longer read: they reach no device. */
  unreadable<Row extends HasAuthor & { readonly selector: string }>(rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    return unreadableOf(rows, this.authors, ({ selector }, rights) => this.chosen(selector, rights, []));
  }

  /** Whether a reader may see it: their own, or one that reaches a device on which they may read all of its paths. */
  async isVisible(content: TemplateContent, reader: Principal): Promise<boolean> {
    const { rights } = reader;
    if (isAuthor(content, reader) || rights.everywhere('template.read')) return true;
    return this.some(content, (values) => this.held(rights, ['template.read'], pathsOf(content.items), values));
  }

  /**
   * Requires a permission on all that it reaches: a change of it is one for each of these devices.
   * @throws AppError `forbidden`
   */
  async requireAll(content: TemplateContent, permission: TemplatePermission, { rights }: Principal): Promise<void> {
    const paths = pathsOf(content.items);
    for (const path of paths) rights.require({ action: permission, path });
    if (rights.everywhere(permission)) return;
    const isPart = await this.some(content, (values) => `not (${this.held(rights, [permission], paths, values)})`);
    if (isPart) throw new AppError('forbidden', { permission, reason: 'it also reaches devices of others' });
  }

  /**
   * The published templates that decide the same as a draft, with the first such thing, by name. Items are compared once, and then the
   * database counts the devices that both reach, of those on which the reader holds the permission.
   * @throws AppError `invalid_selector` of the draft
   */
  async overlaps(
    draft: Pick<TemplateContent, 'selector' | 'items'> & { readonly id: string },
    rights: Rights,
    permission: TemplatePermission,
    tx: EntityManager = this.db.manager,
  ): Promise<OverlapView[]> {
    const found: OverlapView[] = [];
    for (const rival of await this.published(tx)) {
      if (rival.templateId === draft.id) continue;
      const [first] = overlapsOf(draft.items, rival.items);
      const values: unknown[] = [];
      const theirs = first ? await this.reached(rival, values) : null;
      if (!first || theirs === null) continue;
      const ours = await this.chosen(draft.selector, rights, values);
      const held = this.held(rights, [permission], pathsOf(draft.items), values);
      const [row] = await tx.query<[{ devices: number }]>(
        `select count(*)::int as devices from device where ${theirs} and ${ours} and ${held}`,
        values,
      );
      if (row.devices > 0) found.push({ template: rival.name, devices: row.devices, ...first });
    }
    return found;
  }

  private async some(content: TemplateContent, condition: (values: unknown[]) => string): Promise<boolean> {
    const values: unknown[] = [];
    const reached = await this.reached(content, values);
    if (reached === null) return false;
    const rows = await this.db.query<unknown[]>(
      `select from device where ${reached} and ${condition(values)} limit 1`,
      values,
    );
    return rows.length > 0;
  }
}
