import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type z } from 'zod';
import { Audit } from '../audit/entries/audit.js';
import { requireRoom } from '../database/row-limits.js';
import { type Rights } from '../auth/rights/rights.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { requireVersion } from '../http/edits.js';
import { AppError } from '../platform/errors.js';
import { parseSelector, type Selector } from '../selectors/selector.js';
import {
  DEPTH_MAX,
  expandLocks,
  expandSelector,
  namesLocks,
  savedIn,
  termsOf,
  TERMS_MAX,
  tooManyTerms,
  wrongSaved,
} from '../selectors/selector-expansion.js';
import { selectorSql } from '../selectors/selector-sql.js';
import type { savedSelectorView } from './devices.contract.js';

/** Saved selectors of one statement: texts of at most 1.6 MB. */
const READ_BATCH = 100;

type Query = Pick<EntityManager, 'query'>;

export interface SavedSelector extends Readonly<z.input<typeof savedSelectorView>> {
  readonly version: number;
}

/** Who may read each measured value. */
const ALL_MEASURES = { scope: () => null };

const COLUMNS = 'name, selector, description, updated_at as "updatedAt", version';

/**
 * Saved selectors, and the only parser for selectors with saved ones. The text of a saved selector can reveal devices.
 * So a caller with limited rights sees only saved selectors that match no other devices; the others count as missing.
 */
@Injectable()
export class SavedSelectorsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Parses a selector and expands its saved selectors.
   * @param rights of the caller: selectors that the caller cannot see count as missing
   * @throws AppError `invalid_selector`, also for an unknown name and for circular selectors
   */
  async read(text: string, rights: Rights): Promise<Selector> {
    return this.readAs(text, rights, null);
  }

  async list(rights: Rights): Promise<SavedSelector[]> {
    const all = await this.db.query<SavedSelector[]>(`select ${COLUMNS} from saved_selector order by name`);
    if (rights.scope('device.read') === null) return all;
    const visible: SavedSelector[] = [];
    for (const saved of all) if (await this.isVisible(this.db, saved.name, rights)) visible.push(saved);
    return visible;
  }

  /** @throws AppError `selector_not_found`, also when the caller cannot see it */
  async get(name: string, rights: Rights): Promise<SavedSelector> {
    const [found] = await this.db.query<SavedSelector[]>(`select ${COLUMNS} from saved_selector where name = $1`, [
      name,
    ]);
    if (!found || !(await this.isVisible(this.db, name, rights))) throw new AppError('selector_not_found');
    return found;
  }

  /**
   * Saves a selector; an existing one of this name is replaced.
   * @throws AppError `invalid_selector` when it or a selector in it is invalid, `selector_exists` for a name of one
   *   that the caller cannot see, `version_changed`, `too_many_saved`
   */
  async save(
    name: string,
    selector: string,
    description: string,
    actor: Actor & { rights: Rights },
    ifMatch: number | null = null,
  ): Promise<SavedSelector> {
    await this.readAs(selector, actor.rights, name);
    return this.db.transaction(async (tx) => {
      const before = await this.lockRow(tx, name);
      if (before && !(await this.isVisible(tx, name, actor.rights))) throw new AppError('selector_exists');
      requireVersion(ifMatch, before?.version);
      if (!before) await requireRoom(tx, 'saved_selector');
      const [saved] = await tx.query<[SavedSelector]>(
        `insert into saved_selector (name, selector, description, updated_at) values ($1, $2, $3, $4)
         on conflict (name) do update
            set selector = excluded.selector, description = excluded.description, updated_at = excluded.updated_at,
                version = saved_selector.version + 1
         returning ${COLUMNS}`,
        [name, selector, description, this.clock.now()],
      );
      await this.audit.record(tx, {
        actor,
        action: 'selector.save',
        subject: `selector:${name}`,
        facts: { before: before?.selector ?? null, after: selector },
      });
      return saved;
    });
  }

  /** @throws AppError `selector_not_found`, also when the caller cannot see it; `version_changed` */
  async remove(name: string, actor: Actor & { rights: Rights }, ifMatch: number | null = null): Promise<void> {
    await this.db.transaction(async (tx) => {
      const before = await this.lockRow(tx, name);
      if (!before || !(await this.isVisible(tx, name, actor.rights))) throw new AppError('selector_not_found');
      requireVersion(ifMatch, before.version);
      await tx.query('delete from saved_selector where name = $1', [name]);
      await this.audit.record(tx, {
        actor,
        action: 'selector.remove',
        subject: `selector:${name}`,
        facts: { before: before.selector },
      });
    });
  }

  private async lockRow(tx: Query, name: string): Promise<SavedSelector | undefined> {
    const sql = `select ${COLUMNS} from saved_selector where name = $1 for update`;
    return (await tx.query<SavedSelector[]>(sql, [name]))[0];
  }

  /** @param under the name under which it will be saved, or null */
  private async readAs(text: string, rights: Rights, under: string | null): Promise<Selector> {
    const tree = parseSelector(text);
    // Visibility first: an error about the limits of a hidden selector would reveal it.
    for (const saved of savedIn(tree)) {
      if (await this.isVisible(this.db, saved.name, rights)) continue;
      throw wrongSaved(saved, 'the name of an existing saved selector');
    }
    return this.expand(this.db, tree, under, rights);
  }

  /** Whether a saved selector matches devices that the caller can see, and no others. */
  private async isVisible(db: Query, name: string, rights: Rights): Promise<boolean> {
    const scope = rights.scope('device.read');
    if (scope === null) return true;
    let tree: Selector;
    try {
      tree = await this.expand(db, { is: 'saved', name, at: 0 }, null, rights);
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_selector') return false;
      throw error;
    }
    const values: unknown[] = [];
    const now = this.clock.now();
    const named = selectorSql(tree, values, now, rights);
    // Of others it may reveal what it names, whether or not the caller may call them.
    const revealed = selectorSql(tree, values, now, ALL_MEASURES);
    const seen = scope(values, now);
    const [row] = await db.query<{ visible: boolean }[]>(
      `select exists (select from device where ${named} and ${seen})
          and not exists (select from device where ${revealed} and not (${seen})) as visible`,
      values,
    );
    return row!.visible;
  }

  private async expand(db: Query, tree: Selector, under: string | null, rights: Rights): Promise<Selector> {
    const expanded = expandSelector(tree, await this.savedUnder(db, tree), under);
    return namesLocks(expanded) ? expandLocks(expanded, await this.locks(db, rights)) : expanded;
  }

  /** What the locks in force name; nothing for who may not see locks. One that cannot be read locks every device. */
  private async locks(db: Query, rights: Rights): Promise<Selector[]> {
    if (!rights.allows({ action: 'lock.read' })) return [];
    const rows = await db.query<{ kind: string; target: string }[]>(
      `select kind, target from lock
        where kind in ('device', 'selector') and lifted_at is null and (ends_at is null or ends_at > $1)`,
      [this.clock.now()],
    );
    return rows.map(({ kind, target }) => {
      if (kind === 'device') return { is: 'text', field: 'id', pattern: target, exact: true };
      try {
        return parseSelector(target, true);
      } catch {
        return { is: 'all' };
      }
    });
  }

  /** Level by level. Each has at least as many terms as its texts, so reading stops when the selector is too large. */
  private async savedUnder(db: Query, tree: Selector): Promise<Map<string, Selector>> {
    const found = new Map<string, Selector>();
    let level: Selector[] = [tree];
    for (let depth = 0; depth <= DEPTH_MAX; depth++) {
      const names = [...new Set(level.flatMap(savedIn).map(({ name }) => name))].filter((name) => !found.has(name));
      if (names.length === 0) return found;
      level = [];
      let terms = 0;
      for (let from = 0; from < names.length; from += READ_BATCH) {
        const rows = await db.query<{ name: string; selector: string }[]>(
          'select name, selector from saved_selector where name = any($1)',
          [names.slice(from, from + READ_BATCH)],
        );
        for (const { name, selector } of rows) {
          const one = parseSelector(selector, true);
          terms += termsOf(one).length;
          if (terms > TERMS_MAX) throw tooManyTerms();
          found.set(name, one);
          level.push(one);
        }
      }
    }
    return found;
  }
}
