import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { type Rights } from '../auth/rights.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { parseSelector, replaceSaved, type Selector } from './selector.js';
import { selectorSql } from './selector-sql.js';

/** Saved selectors inside saved selectors: deeper than people nest them. */
const DEPTH_MAX = 10;

export interface SavedSelector {
  readonly name: string;
  readonly selector: string;
  readonly description: string;
  readonly updatedAt: Date;
  readonly version: number;
}

const COLUMNS = 'name, selector, description, updated_at as "updatedAt", version';

/**
 * Selectors under names, and the one way in which any selector is read. A saved selector can tell of devices by its text,
 * so whoever sees some devices only sees the selectors that name none but those; the others are not there.
 */
@Injectable()
export class SavedSelectorsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Reads a selector and puts the saved ones that it names in their place.
   * @param rights of whoever gave it: what they do not see is not there
   * @throws AppError `invalid_selector`, also for a name that is not there and for selectors that name each other
   */
  async read(text: string, rights: Rights): Promise<Selector> {
    const tree = parseSelector(text);
    const expanded = await this.expand(tree, []);
    if (rights.scope('device.read') === null) return expanded;
    const named: Extract<Selector, { is: 'saved' }>[] = [];
    replaceSaved(tree, (saved) => (named.push(saved), saved));
    for (const saved of named) {
      if (!(await this.isVisible(saved.name, rights))) throw wrong(saved, 'the name of a saved selector that is there');
    }
    return expanded;
  }

  async list(rights: Rights): Promise<SavedSelector[]> {
    const all = await this.db.query<SavedSelector[]>(`select ${COLUMNS} from saved_selector order by name`);
    if (rights.scope('device.read') === null) return all;
    const visible: SavedSelector[] = [];
    for (const saved of all) if (await this.isVisible(saved.name, rights)) visible.push(saved);
    return visible;
  }

  /** @throws AppError `selector_not_found`, also for one that is out of sight */
  async get(name: string, rights: Rights): Promise<SavedSelector> {
    const [found] = await this.db.query<SavedSelector[]>(`select ${COLUMNS} from saved_selector where name = $1`, [
      name,
    ]);
    if (!found || !(await this.isVisible(name, rights))) throw new AppError('selector_not_found');
    return found;
  }

  /**
   * Saves a selector under a name, in the place of one that has it.
   * @throws AppError `invalid_selector` when it cannot be read with everything that it names, `version_changed`
   */
  async save(
    name: string,
    selector: string,
    description: string,
    actor: Actor & { rights: Rights },
    ifMatch: number | null = null,
  ): Promise<SavedSelector> {
    await this.expand(parseSelector(selector), [name]);
    return this.db.transaction(async (tx) => {
      const [before] = await tx.query<SavedSelector[]>(
        `select ${COLUMNS} from saved_selector where name = $1 for update`,
        [name],
      );
      if (ifMatch !== null && before?.version !== ifMatch) throw new AppError('version_changed');
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

  /** @throws AppError `selector_not_found`, `version_changed` */
  async remove(name: string, actor: Actor, ifMatch: number | null = null): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[{ selector: string; version: number }[], number]>(
        'delete from saved_selector where name = $1 returning selector, version',
        [name],
      );
      if (rows.length === 0) throw new AppError('selector_not_found');
      if (ifMatch !== null && rows[0]!.version !== ifMatch) throw new AppError('version_changed');
      await this.audit.record(tx, {
        actor,
        action: 'selector.remove',
        subject: `selector:${name}`,
        facts: { before: rows[0]!.selector },
      });
    });
  }

  /** Whether a saved selector names devices that somebody sees, and no others. */
  private async isVisible(name: string, rights: Rights): Promise<boolean> {
    const scope = rights.scope('device.read');
    if (scope === null) return true;
    let tree: Selector;
    try {
      tree = await this.expand({ is: 'saved', name, at: 0 }, []);
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_selector') return false;
      throw error;
    }
    const values: unknown[] = [];
    const now = this.clock.now();
    const named = selectorSql(tree, values, now);
    const seen = scope(values, now);
    const [row] = await this.db.query<{ visible: boolean }[]>(
      `select exists (select from device where ${named} and ${seen})
          and not exists (select from device where ${named} and not (${seen})) as visible`,
      values,
    );
    return row!.visible;
  }

  /** @param path names that lead here, to notice a circle */
  private async expand(tree: Selector, path: readonly string[]): Promise<Selector> {
    const named = new Map<string, Selector>();
    replaceSaved(tree, (saved) => {
      if (path.includes(saved.name)) throw wrong(saved, `a selector that does not lead back to @${saved.name}`);
      named.set(saved.name, saved);
      return saved;
    });
    if (named.size === 0) return tree;
    if (path.length >= DEPTH_MAX)
      throw new AppError('invalid_selector', {
        position: 0,
        expected: `at most ${DEPTH_MAX} saved selectors inside each other`,
      });
    const rows = await this.db.query<{ name: string; selector: string }[]>(
      'select name, selector from saved_selector where name = any($1)',
      [[...named.keys()]],
    );
    const trees = new Map<string, Selector>();
    for (const { name, selector } of rows) trees.set(name, await this.expand(parseSelector(selector), [...path, name]));
    return replaceSaved(tree, (saved) => {
      const found = trees.get(saved.name);
      if (!found) throw wrong(saved, 'the name of a saved selector that is there');
      return found;
    });
  }
}

function wrong({ name, at }: { name: string; at: number }, expected: string): AppError {
  return new AppError('invalid_selector', { position: at, expected, near: `@${name}` });
}
