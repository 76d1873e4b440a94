import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type KeyScope } from '../rights/key-scope.js';
import { type Rights } from '../rights/rights.js';
import { RightsService } from '../rights/rights.service.js';

/*
 * Who is behind what goes on by itself: schedules, policies of backups, webhooks, rollouts, jobs. It acts in the rights that
 * its author has at that moment. An author who was disabled, or whose key was revoked, has none: what they left behind is an
 * orphan, is shown as one, and does nothing until somebody saves it in their own name.
 *
 * A key that has run out, or was rotated, makes no orphans: nobody has said that it is in foreign hands.
 */

/** Something that goes on after its author has left. */
export interface Authored {
  /** In whose rights it acts; null: the operator is not there any more. */
  readonly operatorId: string | null;
  /** `key:<id>`, `session:<id>` or a part of the gateway. */
  readonly createdBy: string | null;
}

interface AuthorRow {
  readonly operatorId: string;
  readonly keyId: string | null;
  readonly scope: KeyScope | null;
}

/** An author who is in force, without a second factor: no person is there to show one. */
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

  /** What an author may now, with the scope of the key that they used; null when they may act no more. */
  async rightsOf(authored: Authored): Promise<Rights | null> {
    return (await this.find(authored))?.rights ?? null;
  }

  /** An author as their next request would show them, if they made it now; null when they may act no more. */
  async find(authored: Authored): Promise<Author | null> {
    const [author] = await this.inForce([authored]);
    if (!author) return null;
    return { ...author, secondFactorAt: null, rights: await this.rights.of(author.operatorId, author.scope) };
  }

  /** Those of the given things whose author may act no more. */
  async orphansOf<Thing extends Authored>(things: readonly Thing[]): Promise<ReadonlySet<Thing>> {
    const authors = new Set((await this.inForce(things)).map(({ operatorId, keyId }) => nameOf(operatorId, keyId)));
    return new Set(things.filter((one) => !authors.has(nameOf(one.operatorId, keyIdOf(one)))));
  }

  /** Operators, and keys of theirs, that are behind these things and in force. */
  private inForce(things: readonly Authored[]): Promise<AuthorRow[]> {
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

/** The key that something was made with; null when a person was signed in. */
function keyIdOf({ createdBy }: Authored): string | null {
  return createdBy?.startsWith(KEY) ? createdBy.slice(KEY.length) : null;
}
