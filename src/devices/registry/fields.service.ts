import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { RightsService } from '../../auth/rights/rights.service.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { requireVersion } from '../../http/edits.js';
import { AppError } from '../../platform/errors.js';
import { type FieldChanges, type FieldDefinition, fieldProblem, FIELDS_MAX } from './device-fields.js';

export interface DeviceField extends FieldDefinition {
  readonly description: string;
  readonly updatedAt: Date;
  readonly version: number;
}

const COLUMNS = 'key, type, choices, description, updated_at as "updatedAt", version';

/** Definitions of custom fields. */
@Injectable()
export class FieldsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(RightsService) private readonly rights: RightsService,
  ) {}

  list(): Promise<DeviceField[]> {
    return this.db.query(`select ${COLUMNS} from device_field order by key`);
  }

  /** @throws AppError `field_not_found` */
  async get(key: string): Promise<DeviceField> {
    const [found] = await this.db.query<DeviceField[]>(`select ${COLUMNS} from device_field where key = $1`, [key]);
    if (!found) throw new AppError('field_not_found');
    return found;
  }

  /**
   * Defines a field, or changes its definition.
   * @throws AppError `field_in_use` when a device has a value that the new definition does not allow; `too_many_fields`,
   *   `version_changed`
   */
  async define(
    key: string,
    {
      type,
      choices = [],
      description,
    }: Pick<DeviceField, 'type' | 'description'> & { choices?: readonly string[] | undefined },
    ifMatch: number | null,
    actor: Actor,
  ): Promise<DeviceField> {
    return this.db.transaction(async (tx) => {
      const all = await tx.query<DeviceField[]>(`select ${COLUMNS} from device_field order by key for update`);
      const before = all.find((field) => field.key === key);
      requireVersion(ifMatch, before?.version);
      if (!before && all.length >= FIELDS_MAX) throw new AppError('too_many_fields', { limit: FIELDS_MAX });
      if (before) await this.requireFitting(tx, { key, type, choices });
      const [saved] = await tx.query<[DeviceField]>(
        `insert into device_field (key, type, choices, description, updated_at) values ($1, $2, $3, $4, $5)
         on conflict (key) do update
            set type = excluded.type, choices = excluded.choices, description = excluded.description,
                updated_at = excluded.updated_at, version = device_field.version + 1
         returning ${COLUMNS}`,
        [key, type, choices, description, this.clock.now()],
      );
      const facts = { before: before ? auditView(before) : null, after: auditView(saved) };
      await this.audit.record(tx, { actor, action: 'field.define', subject: `field:${key}`, facts });
      return saved;
    });
  }

  /**
   * Removes a field with its values.
   * @throws AppError `field_not_found`, `version_changed`; `field_in_rights` while a right or a lock names it
   */
  async remove(key: string, ifMatch: number | null, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const [before] = await tx.query<DeviceField[]>(`select ${COLUMNS} from device_field where key = $1 for update`, [
        key,
      ]);
      if (!before) throw new AppError('field_not_found');
      requireVersion(ifMatch, before.version);
      await this.requireUnnamed(tx, key);
      await tx.query('delete from device_field where key = $1', [key]);
      const [, devices] = await tx.query<[unknown[], number]>(
        `update device set fields = fields - $1::text, updated_at = $2, version = version + 1
          where id in (select id from device where fields ? $1::text order by id for update)`,
        [key, this.clock.now()],
      );
      const facts = { before: auditView(before), devices };
      await this.audit.record(tx, { actor, action: 'field.remove', subject: `field:${key}`, facts });
    });
  }

  /**
   * The definitions, locked against changes until the transaction ends. Callers check values of devices with them.
   */
  async definitions(tx: EntityManager): Promise<ReadonlyMap<string, FieldDefinition>> {
    const fields = await tx.query<FieldDefinition[]>(
      'select key, type, choices from device_field order by key for share',
    );
    return new Map(fields.map((field) => [field.key, field]));
  }

  /** @throws AppError `invalid_input` for values that the definitions do not allow */
  async require(tx: EntityManager, changes: FieldChanges): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const definitions = await this.definitions(tx);
    const errors = Object.entries(changes).flatMap(([key, value]) => {
      const detail = fieldProblem(definitions.get(key), value);
      return detail === null ? [] : [{ pointer: `/body/fields/${key}`, detail }];
    });
    if (errors.length > 0) throw new AppError('invalid_input', { errors });
  }

  /** Without the values, a denial or a lock of their devices would end. @throws AppError `field_in_rights` */
  private async requireUnnamed(tx: EntityManager, key: string): Promise<void> {
    const selectors = await storedSelectors(tx, this.clock.now(), `field.${key}`);
    // One that is no longer valid may name anything.
    const isNamed = selectors.some((text) => this.rights.findSelector(text)?.namesField(key) !== false);
    if (isNamed) throw new AppError('field_in_rights');
  }

  /** @throws AppError `field_in_use` */
  private async requireFitting(tx: EntityManager, definition: FieldDefinition): Promise<void> {
    const rows = await tx.query<{ value: FieldChanges[string]; devices: number }[]>(
      `select fields -> $1::text as value, count(*)::int as devices from device where fields ? $1::text group by 1`,
      [definition.key],
    );
    const devices = rows.reduce(
      (sum, row) => sum + (fieldProblem(definition, row.value) === null ? 0 : row.devices),
      0,
    );
    if (devices > 0) throw new AppError('field_in_use', { devices });
  }
}

const auditView = ({ type, choices, description }: DeviceField) => ({ type, choices, description });

/** The selectors that rights and locks in force have and that contain a text, in any case. */
async function storedSelectors(tx: EntityManager, now: Date, containing: string): Promise<string[]> {
  const rows = await tx.query<{ selector: string }[]>(
    `select distinct selector from (
       select rule ->> 'selector' from role cross join jsonb_array_elements(rules) as rule
       union all select selector from operator_role
       union all select scope ->> 'selector' from api_key
                  where revoked_at is null and (expires_at is null or expires_at > $1)
       union all select target from lock
                  where kind = 'selector' and lifted_at is null and (ends_at is null or ends_at > $1)
     ) as stored (selector)
      where strpos(lower(selector), lower($2)) > 0`,
    [now, containing],
  );
  return rows.map(({ selector }) => selector);
}
