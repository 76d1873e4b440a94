import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { parseSelector, replaceSaved, type Selector } from './selector.js';

/** Saved selectors inside saved selectors: deeper than people nest them. */
const DEPTH_MAX = 10;

export interface SavedSelector {
  readonly name: string;
  readonly selector: string;
  readonly description: string;
  readonly updatedAt: Date;
}

const COLUMNS = 'name, selector, description, updated_at as "updatedAt"';

/** Selectors under names, and the one way in which any selector is read. */
@Injectable()
export class SavedSelectorsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Reads a selector and puts the saved ones that it names in their place.
   * @throws AppError `invalid_selector`, also for a name that is not there and for selectors that name each other
   */
  async read(text: string): Promise<Selector> {
    return this.expand(parseSelector(text), []);
  }

  list(): Promise<SavedSelector[]> {
    return this.db.query(`select ${COLUMNS} from saved_selector order by name`);
  }

  /** @throws AppError `selector_not_found` */
  async get(name: string): Promise<SavedSelector> {
    const [found] = await this.db.query<SavedSelector[]>(`select ${COLUMNS} from saved_selector where name = $1`, [
      name,
    ]);
    if (!found) throw new AppError('selector_not_found');
    return found;
  }

  /**
   * Saves a selector under a name, in the place of one that has it.
   * @throws AppError `invalid_selector` when it cannot be read with everything that it names
   */
  async save(name: string, selector: string, description: string, actor: Actor): Promise<SavedSelector> {
    await this.expand(parseSelector(selector), [name]);
    await this.db.transaction(async (tx) => {
      const [before] = await tx.query<SavedSelector[]>(
        `select ${COLUMNS} from saved_selector where name = $1 for update`,
        [name],
      );
      await tx.query(
        `insert into saved_selector (name, selector, description, updated_at) values ($1, $2, $3, $4)
         on conflict (name) do update
            set selector = excluded.selector, description = excluded.description, updated_at = excluded.updated_at`,
        [name, selector, description, this.clock.now()],
      );
      await this.audit.record(tx, {
        actor,
        action: 'selector.save',
        subject: `selector:${name}`,
        facts: { before: before?.selector ?? null, after: selector },
      });
    });
    return this.get(name);
  }

  /** @throws AppError `selector_not_found` */
  async remove(name: string, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [rows] = await tx.query<[{ selector: string }[], number]>(
        'delete from saved_selector where name = $1 returning selector',
        [name],
      );
      if (rows.length === 0) throw new AppError('selector_not_found');
      await this.audit.record(tx, {
        actor,
        action: 'selector.remove',
        subject: `selector:${name}`,
        facts: { before: rows[0]!.selector },
      });
    });
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
