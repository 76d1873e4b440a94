import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type KeyScope } from '../rights/key-scope.js';
import { type Rights } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';

/*
 * Authors of work that continues without a caller: schedules, backup policies, webhooks, rollouts, jobs. It uses its
 * author's present rights. An author who was disabled, or whose key was revoked, has none. The work is then an orphan:
 * it is shown as one and does nothing until another person saves it.
 *
 * An expired or rotated key makes no orphans: nothing suggests that it is in wrong hands.
 */

/** A row of work that continues after its author has left. */
export interface HasAuthor {
  /** The operator whose rights it uses; null: it is the gateway's own. Operators are never deleted. */
  readonly operatorId: string | null;
  /** `key:<id>`, `session:<id>` or a part of the gateway. */
  readonly createdBy: string | null;
}

interface AuthorRow {
  readonly operatorId: string;
  readonly keyId: string | null;
  readonly scope: KeyScope | null;
}

/** An active author, without a second factor: no person is present. */
export interface Author extends AuthorRow {
  readonly secondFactorAt: null;
  readonly rights: Rights;
}

const KEY = 'key:';

@Injectable()
export class Authors {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {}

  /** Narrowed by the used key's scope; null when the author is disabled or the key was revoked. */
  async rightsOf(row: HasAuthor): Promise<Rights | null> {
    return (await this.find(row))?.rights ?? null;
  }

  /** The author with present rights; null when the author is disabled or the key was revoked. */
  async find(row: HasAuthor): Promise<Author | null> {
    const [author] = await this.inForce([row]);
    if (!author) return null;
    return { ...author, secondFactorAt: null, rights: await this.rights.of(author.operatorId, author.scope) };
  }

  /** The items whose author is disabled or whose key was revoked. */
  async orphansOf<Thing extends HasAuthor>(things: readonly Thing[]): Promise<ReadonlySet<Thing>> {
    const authors = new Set((await this.inForce(things)).map(({ operatorId, keyId }) => nameOf(operatorId, keyId)));
    return new Set(things.filter((one) => !authors.has(nameOf(one.operatorId, keyIdOf(one)))));
  }

  private inForce(things: readonly HasAuthor[]): Promise<AuthorRow[]> {
    return this.db.query(
      `select distinct on (operator.id, item.key_id) operator.id as "operatorId", item.key_id as "keyId", key.scope
         from unnest($1::uuid[], $2::uuid[]) as item (operator_id, key_id)
         join operator on operator.id = item.operator_id and operator.disabled_at is null
         left join api_key key on key.id = item.key_id and key.operator_id = operator.id
        where item.key_id is null or (key.id is not null and key.revoked_at is null)`,
      [things.map(({ operatorId }) => operatorId), things.map(keyIdOf)],
    );
  }
}

const nameOf = (operatorId: string | null, keyId: string | null): string => `${operatorId} ${keyId}`;

/** The key that made it; null when a person was signed in. */
export function keyIdOf({ createdBy }: Pick<HasAuthor, 'createdBy'>): string | null {
  return createdBy?.startsWith(KEY) ? createdBy.slice(KEY.length) : null;
}
