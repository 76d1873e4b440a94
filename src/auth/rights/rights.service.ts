import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../platform/errors.js';
import { Clock } from '../../platform/clock.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { type KeyScope, narrows } from './key-scope.js';
import { holds, isBuiltIn, PERMISSION_NAMES, type Role } from './permissions.js';
import { readRightSelector } from './right-selectors.js';
import { type CompiledSelector, type Grant, Layer, Rights, type Rule } from './rights.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Loads rights from rows. They are compiled once for each operator and each scope of a key, and cached until a
 * notification says that rights changed. Without notifications they are read again each second.
 */

const CACHED_MS = 60_000;
const CACHED_MS_UNNOTIFIED = 1_000;
const CACHE_SIZE = 10_000;

export interface Assignment {
  readonly role: string;
  readonly selector: string | null;
}

interface CachedRights {
  readonly layer: Layer;
  readonly own: Rights;
  readonly byScope: WeakMap<KeyScope, Rights>;
  readonly until: number;
}

@Injectable()
export class RightsService {
  private readonly cached = boundedCache<string, CachedRights>(CACHE_SIZE);
  /** Incremented by each notification, so that rights read before it are not cached after it. */
  private generation = 0;
  private readonly listeners = new Set<() => void>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PgNotifications) private readonly notifications: PgNotifications,
  ) {
    const forget = () => this.forget();
    notifications.on('rights', forget);
    notifications.on('operator', forget);
  }

  /** The cached rights, without waiting; null: call `of`. */
  cachedRights(operatorId: string, scope: KeyScope | null): Rights | null {
    const found = this.cached.get(operatorId);
    if (!found || found.until <= this.clock.nowMs()) return null;
    return scope && narrows(scope) ? this.narrowed(found, scope) : found.own;
  }

  /** The present rights of an operator, or of a key with a scope. */
  async of(operatorId: string, scope: KeyScope | null): Promise<Rights> {
    const cached = this.cachedRights(operatorId, scope);
    if (cached) return cached;
    const { generation } = this;
    const layer = await this.layerOf(this.db.manager, operatorId, 'enabled');
    const forMs = this.notifications.isListening ? CACHED_MS : CACHED_MS_UNNOTIFIED;
    const until = this.clock.now().getTime() + forMs;
    const fresh: CachedRights = { layer, own: new Rights([layer]), byScope: new WeakMap(), until };
    if (generation === this.generation) {
      this.cached.set(operatorId, fresh);
    }
    return scope && narrows(scope) ? this.narrowed(fresh, scope) : fresh.own;
  }

  /**
   * The rights of an operator, or of a key with a scope, also those that a disabled operator gets back when enabled.
   * They decide who may change the operator. Always read from the database.
   */
  async assigned(operatorId: string, scope: KeyScope | null, tx: EntityManager = this.db.manager): Promise<Rights> {
    const layer = await this.layerOf(tx, operatorId, 'disabled, too');
    return new Rights(scope && narrows(scope) ? [layer, this.scopeLayer(scope)] : [layer]);
  }

  /** The rights that these roles give, as stored in this transaction. */
  async compile(tx: EntityManager, assignments: readonly Assignment[]): Promise<Rights> {
    return new Rights([await this.layerWith(tx, assignments)]);
  }

  /** The rights that these rules give alone. */
  compileRules(role: string, rules: readonly Rule[]): Rights {
    return new Rights([new Layer('operator', [{ role, selector: null, rules }], (text) => this.findSelector(text))]);
  }

  /**
   * Refuses to pass on rights that the giver does not hold.
   * @throws AppError `rights_not_held` that names a missing permission
   */
  requireCovers(giver: Rights, given: Rights): void {
    const permission = giver.missing(given);
    if (permission !== null) throw new AppError('rights_not_held', { permission });
  }

  /** For work that later acts with all rights of its operator, as a schedule. @throws AppError `rights_not_held` */
  async requireUnnarrowed(actor: {
    readonly operatorId: string;
    readonly scope: KeyScope | null;
    readonly rights: Rights;
  }): Promise<void> {
    if (!actor.scope || !narrows(actor.scope)) return;
    this.requireCovers(actor.rights, await this.of(actor.operatorId, null));
  }

  /** Checks a selector of a right. @throws AppError `invalid_selector` */
  checkSelector(text: string | null): void {
    if (text !== null) this.readSelector(text);
  }

  /**
   * Parses a selector of a right or a lock.
   * @param isStored it is in force
   * @throws AppError `invalid_selector`
   */
  readSelector(text: string, isStored = false): CompiledSelector {
    return readRightSelector(text, isStored);
  }

  /** The rules of built-in and custom roles. Unknown roles are omitted. */
  async rulesOf(tx: EntityManager, names: readonly string[]): Promise<Map<string, readonly Rule[]>> {
    const found = new Map<string, readonly Rule[]>();
    for (const name of names) if (isBuiltIn(name)) found.set(name, builtInRules(name));
    const own = names.filter((name) => !found.has(name));
    if (own.length === 0) return found;
    const rows = await tx.query<{ name: string; rules: Rule[] }[]>(
      'select name, rules from role where name = any($1) and not built_in',
      [own],
    );
    for (const { name, rules } of rows) found.set(name, rules);
    return found;
  }

  /** Calls `listener` whenever any rights may have changed. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Clears the cache. */
  forget(): void {
    this.generation++;
    this.cached.clear();
    for (const listener of this.listeners) listener();
  }

  private async layerOf(tx: EntityManager, operatorId: string, whose: 'enabled' | 'disabled, too'): Promise<Layer> {
    const assignments = await tx.query<Assignment[]>(
      `select operator_role.role, operator_role.selector
         from operator_role join operator on operator.id = operator_role.operator_id
        where operator.id = $1 and ($2 or operator.disabled_at is null)
        order by operator_role.role, operator_role.selector nulls first`,
      [operatorId, whose === 'disabled, too'],
    );
    return this.layerWith(tx, assignments);
  }

  private async layerWith(tx: EntityManager, assignments: readonly Assignment[]): Promise<Layer> {
    const rules = await this.rulesOf(
      tx,
      assignments.map(({ role }) => role),
    );
    const grants = assignments.map(({ role, selector }) => ({ role, selector, rules: rules.get(role) ?? [] }));
    return new Layer('operator', grants, (text) => this.findSelector(text));
  }

  private scopeLayer(scope: KeyScope): Layer {
    return new Layer('key', [grantOf(scope)], (text) => this.findSelector(text));
  }

  private narrowed(found: CachedRights, scope: KeyScope): Rights {
    const known = found.byScope.get(scope);
    if (known) return known;
    const rights = new Rights([found.layer, this.scopeLayer(scope)]);
    found.byScope.set(scope, rights);
    return rights;
  }

  /** As `readSelector`, for a stored selector; null when it is no longer valid. */
  findSelector(text: string): CompiledSelector | null {
    try {
      return this.readSelector(text, true);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }
}

/** The scope of a key as a role with one rule. */
function grantOf({ permissions = ['*'], selector, devices }: KeyScope): Grant {
  const rule: Rule = { effect: 'allow', permissions, selector: selector ?? null, devices: devices ?? null };
  return { role: 'scope', selector: null, rules: [rule] };
}

export const BUILT_IN_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'Read-only: devices, jobs, and answers of devices without their secrets',
  operator: 'Daily work: registers, calls and changes devices, starts jobs, reads results',
  deployer: 'Rollouts: starts and cancels jobs and stores artifacts; calls devices only to read',
  security: 'Security: credentials and trust of devices, locks, approvals, the audit',
  auditor: 'Audit: reads and exports the audit and the rights; does not call devices',
  administrator: 'Everything',
};

export const builtInRules = (role: Role): Rule[] => [
  {
    effect: 'allow',
    permissions: role === 'administrator' ? ['*'] : PERMISSION_NAMES.filter((permission) => holds(role, permission)),
    selector: null,
    devices: null,
  },
];
