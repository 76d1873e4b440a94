import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit, type NewAuditEntry } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { Locks } from '../../auth/access/locks.service.js';
import { Authors } from '../../auth/keys/authors.service.js';
import { StepUp } from '../../auth/people/step-up.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { Secrets } from '../../secrets/secrets.js';
import { AddressRules } from '../registry/address-rules.js';
import { checkBaseUrl } from '../registry/base-url.js';
import { changedFields, type FieldDefinition, fieldProblem, type FieldValues } from '../registry/device-fields.js';
import { FieldsService } from '../registry/fields.service.js';
import { DevicesService, passwordLocation } from '../registry/devices.service.js';
import {
  type CredentialsInput,
  type ImportChange,
  type ImportQuery,
  type ImportView,
  type RegisterInput,
} from '../devices.contract.js';
import { changesOf, KnownDevices, UNIQUE, uniqueKey } from './known-devices.js';
import { type FleetLine, type LineProblem, nameInFile, readFleetLines } from './fleet-lines.js';
import {
  type DeviceRow,
  insertAccounts,
  insertDevices,
  type KnownDevice,
  lockKnown,
  lowerNames,
  selectKnown,
  updateDevices,
} from './fleet.queries.js';
import { RegistryService } from '../registry.service.js';

/** Lines of one statement: few round trips, and parameters of at most a megabyte. */
const BATCH = 1_000;

/** Lines that are planned in one turn of the event loop, about 6 ms: requests wait for its end. */
const LINES_IN_A_TURN = 100;

const PROBLEMS_MAX = 1_000;

/** Lines of an answer to a dry run. */
const CHANGES_MAX = 1_000;

/** Thrown to roll back a transaction. */
class NothingChanged extends Error {}

export interface FleetFormat {
  readonly format: 'csv' | 'ndjson';
  /** From the content type; null when it has none. */
  readonly charset: string | null;
}

export interface ImportCallbacks {
  /** Gets the progress. When it throws, the import ends and changes nothing. */
  onProgress(done: number, lines: number): Promise<void> | void;
  /** The last statement of a transaction that commits. */
  commit(tx: EntityManager, view: ImportView): Promise<void> | void;
}

interface Importer {
  readonly definitions: ReadonlyMap<string, FieldDefinition>;
  readonly actor: Principal;
  readonly isFresh: boolean;
  readonly isDryRun: boolean;
}

/** The fields for selectors that a new device's line does not have. */
const NEW_DEVICE = { firmware: null, profile: 'unknown', state: 'new', trust: 'pin', seenAt: null } as const;

interface Plan {
  readonly create: DeviceRow[];
  readonly update: DeviceRow[];
  readonly facts: NewAuditEntry[];
  /** Of known devices, for a dry run. */
  readonly changes: ImportChange[];
  /** Lines whose device has no credentials after the import. */
  withoutCredentials: number;
}

/**
 * Imports a fleet from a file. A device is identified by its serial number, or else by its name; known devices are
 * updated. In one transaction everything is imported, with an audit entry for each device, or nothing.
 */
@Injectable()
export class FleetImportService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AddressRules) private readonly addresses: AddressRules,
    @Inject(RegistryService) private readonly registry: RegistryService,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(FieldsService) private readonly fields: Pick<FieldsService, 'definitions'>,
    @Inject(Locks) private readonly locks: Pick<Locks, 'deviceLock' | 'refuseActor' | 'refuseWrites'>,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(StepUp) private readonly stepUp: StepUp,
  ) {}

  /**
   * Runs an import.
   * @param actor the importing caller, for rights and audit
   * @param watch may end the import
   * @throws AppError `invalid_input` (the file itself), `import_refused` with the problems of each line, `locked`,
   *   `author_gone`, `starter_may_not`
   */
  async run(
    file: Buffer,
    { format, charset }: FleetFormat,
    query: ImportQuery,
    actor: Principal,
    watch: ImportCallbacks,
  ): Promise<ImportView> {
    const { lines, problems, count, encoding } = await readFleetLines(file, format, charset);
    const isFresh = await this.stepUp.isFresh(actor);
    const done = { created: 0, updated: 0, withoutCredentials: 0 };
    const changed: string[] = [];
    const changes: ImportChange[] = [];
    const taken = new Map<string, number>();
    const view = () => viewOf({ query, format, encoding, count, done, problems, changes });
    const work = async (tx: EntityManager) => {
      let judged = actor;
      for (let from = 0; from < lines.length; from += BATCH) {
        await watch.onProgress(from, count);
        const definitions = await this.fields.definitions(tx);
        judged = await this.withPresentRights(actor);
        const by = { actor: judged, isFresh, isDryRun: query.dryRun, definitions };
        const plan = await this.plan(tx, lines.slice(from, from + BATCH), taken, problems, by);
        await this.write(tx, plan);
        done.created += plan.create.length;
        done.updated += plan.update.length;
        done.withoutCredentials += plan.withoutCredentials;
        changed.push(...plan.update.map(({ id }) => id));
        changes.push(...plan.changes.slice(0, CHANGES_MAX - changes.length));
      }
      await watch.onProgress(lines.length, count);
      await this.requireStill(judged, actor);
      if (query.dryRun || (problems.length > 0 && query.onError === 'stop')) throw new NothingChanged();
      await watch.commit(tx, view());
    };
    await this.registry
      .translate(() => this.db.transaction(work))
      .catch((error: unknown) => {
        if (!(error instanceof NothingChanged)) throw error;
        changed.length = 0;
      });
    for (const deviceId of changed) this.devices.changed(deviceId);
    const { failed, errors, ...rest } = view();
    if (failed > 0 && query.onError === 'stop' && !query.dryRun) {
      throw new AppError('import_refused', { lines: count, failed, errors });
    }
    return { ...rest, failed, errors };
  }

  /** An import takes long, so each batch uses the actor's present rights. @throws AppError `locked`, `author_gone` */
  private async withPresentRights(actor: Principal): Promise<Principal> {
    this.locks.refuseActor(actor);
    this.locks.refuseWrites();
    const rights = await this.authors.rightsOf({ operatorId: actor.operatorId, createdBy: actor.actorId });
    if (!rights) throw new AppError('author_gone', { startedBy: actor.name });
    return { ...actor, rights };
  }

  /**
   * The last batch may have waited long for rows of others, so the commit asks again.
   * @param judged the actor with the rights of the last batch
   * @throws AppError `locked`, `author_gone`, `starter_may_not`
   */
  private async requireStill({ rights: before }: Principal, actor: Principal): Promise<void> {
    const { rights } = await this.withPresentRights(actor);
    if (rights.includes(before)) return;
    throw new AppError('starter_may_not', { permission: 'device.manage', startedBy: actor.name });
  }

  private async write(tx: EntityManager, { create, update, facts }: Plan): Promise<void> {
    await insertDevices(tx, create);
    await updateDevices(tx, update);
    await insertAccounts(tx, [...create, ...update]);
    await this.audit.recordAll(tx, facts);
  }

  private async plan(
    tx: EntityManager,
    batch: readonly FleetLine[],
    taken: Map<string, number>,
    problems: LineProblem[],
    by: Importer,
  ): Promise<Plan> {
    const plan: Plan = { create: [], update: [], facts: [], changes: [], withoutCredentials: 0 };
    const inputs = batch.map(({ input }) => input);
    const lower = await lowerNames(
      tx,
      inputs.map(({ name }) => name),
    );
    const found = await selectKnown(tx, inputs);
    const known = new KnownDevices(by.isDryRun ? found : await lockOwn(tx, found, by.actor), lower);
    for (const [index, line] of batch.entries()) {
      if (index % LINES_IN_A_TURN === 0) await nextTurn();
      const existing = known.of(line);
      try {
        // Before any comparison: its result would reveal data of the device.
        if (existing) by.actor.rights.requireOnDevice({ action: 'device.manage', device: existing }, 'device_exists');
        const row = this.rowFor(line, existing, by);
        this.refuseTaken(row, line.line, existing, known, taken);
        const fields = existing ? changesOf(row, existing) : [];
        const isChange = !existing || fields.length > 0;
        if (isChange) this.refuseForeign(row, existing, by);
        if (!hasCredentialsAfter(row, existing)) plan.withoutCredentials++;
        if (!isChange) continue;
        if (existing && by.isDryRun) plan.changes.push({ line: line.line, device: existing.name, fields });
        (existing ? plan.update : plan.create).push(row);
        plan.facts.push(this.fact(row, existing, by.actor));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const { field = null, reason, detail } = error.facts as { field?: string; reason?: string; detail?: string };
        const wrongField = error.code === 'base_url_refused' ? (field ?? 'baseUrl') : field;
        problems.push({
          line: line.line,
          field: wrongField,
          code: error.code,
          detail: detail ?? reason ?? error.message,
        });
      }
    }
    return plan;
  }

  private rowFor({ input, given }: FleetLine, existing: KnownDevice | null, by: Importer): DeviceRow {
    const now = this.clock.now().toISOString();
    const { trust } = input;
    if (trust.mode !== 'pin') {
      throw new AppError('invalid_input', {
        field: 'trust',
        detail: 'an import accepts only pins; set other trust at the device',
      });
    }
    const id = existing?.id ?? randomUUID();
    const accountId = existing?.accountId ?? randomUUID();
    const { credentials } = input;
    const isKnown = credentials !== undefined && this.hasCredentials(existing, credentials, by);
    const newCredentials = isKnown ? undefined : credentials;
    const baseUrl = checkBaseUrl(input.baseUrl, trust.mode, this.addresses.policy());
    const moves = existing !== null && existing.accountId !== null && existing.baseUrl !== baseUrl;
    return {
      id,
      name: input.name,
      baseUrl,
      serial: input.serial ?? existing?.serial ?? null,
      mac: input.mac ?? existing?.mac ?? null,
      model: input.model ?? existing?.model ?? null,
      site: given.has('site') ? input.site : (existing?.site ?? ''),
      tags: given.has('tags') ? input.tags : (existing?.tags ?? []),
      note: given.has('note') ? input.note : (existing?.note ?? ''),
      fields: this.fieldsFor(input, existing, by),
      sessions: given.has('sessions') ? input.sessions : (existing?.sessions ?? input.sessions),
      timeZone: input.timeZone ?? existing?.timeZone ?? null,
      spareUrl: this.spareFor(input, existing, baseUrl),
      trustPin: trust.pin ?? existing?.trustPin ?? null,
      now,
      moves: existing !== null && existing.baseUrl !== baseUrl,
      forgets: moves && !credentials,
      account: newCredentials
        ? {
            id: accountId,
            username: newCredentials.username,
            sealedPassword: this.secrets.seal(newCredentials.password, passwordLocation(accountId)).toString('hex'),
            fingerprint: this.secrets.fingerprint(newCredentials.password),
          }
        : null,
    };
  }

  /** As an edit, a line judges a spare address only where it gives it, or moves the device. @throws AppError `base_url_refused` */
  private spareFor({ spareUrl }: RegisterInput, existing: KnownDevice | null, baseUrl: string): string | null {
    const known = existing?.spareUrl ?? null;
    if (spareUrl === undefined && existing?.baseUrl === baseUrl) return known;
    return this.registry.checkedSpare(spareUrl ?? known, existing?.trust ?? 'pin', baseUrl);
  }

  /** The custom fields of a device after its line. @throws AppError `invalid_input` */
  private fieldsFor({ fields }: RegisterInput, existing: KnownDevice | null, { definitions }: Importer): FieldValues {
    for (const [key, value] of Object.entries(fields)) {
      const detail = fieldProblem(definitions.get(key), value);
      if (detail !== null) throw new AppError('invalid_input', { field: `fields.${key}`, detail });
    }
    return changedFields(existing?.fields ?? {}, fields);
  }

  /** Only for an actor who may change the credentials: the result confirms a password. */
  private hasCredentials(
    existing: KnownDevice | null,
    credentials: CredentialsInput,
    { actor: { rights }, isFresh }: Importer,
  ): boolean {
    if (!existing?.accountId || existing.username !== credentials.username || !existing.sealedPassword) return false;
    if (!isFresh || !rights.allows({ action: 'device.trust', device: existing })) return false;
    return this.secrets.open(existing.sealedPassword, passwordLocation(existing.accountId)) === credentials.password;
  }

  /** On the new state and on the changes. @throws AppError `forbidden`, `locked`, `step_up_required` */
  private refuseForeign(row: DeviceRow, existing: KnownDevice | null, { actor: { rights }, isFresh }: Importer): void {
    const after = { ...NEW_DEVICE, ...existing, ...row };
    rights.requireAfter({ action: 'device.manage', device: after });
    if (existing && this.locks.deviceLock(existing)) throw new AppError('locked');
    const keepsAddresses = !row.moves && row.spareUrl === existing?.spareUrl;
    if (!existing || (row.account === null && keepsAddresses && row.trustPin === existing.trustPin)) return;
    rights.require({ action: 'device.trust', device: existing });
    if (!isFresh) throw new AppError('step_up_required');
  }

  /** @throws AppError `device_exists` when another device or line has a value that must be unique */
  private refuseTaken(
    row: DeviceRow,
    line: number,
    existing: KnownDevice | null,
    known: KnownDevices,
    taken: Map<string, number>,
  ): void {
    const values = UNIQUE.map((field) => [field, known.valueOf(field, row)] as const);
    for (const [field, value] of values) {
      if (value === null) continue;
      const earlier = taken.get(uniqueKey(field, value));
      if (earlier !== undefined)
        throw new AppError('device_exists', { field, detail: `line ${earlier} has the same value` });
      const holder = known.with(field, value);
      if (holder && holder.id !== existing?.id) {
        throw new AppError('device_exists', { field, detail: 'another device has the same value' });
      }
    }
    for (const [field, value] of values) if (value !== null) taken.set(uniqueKey(field, value), line);
  }

  private fact(row: DeviceRow, existing: KnownDevice | null, actor: Principal): NewAuditEntry {
    const { id, account, forgets, moves: _moves, now: _now, ...after } = row;
    const credentials = account && { username: account.username, password: account.fingerprint };
    return {
      actor,
      action: existing ? 'device.change' : 'device.register',
      subject: `device:${id}`,
      deviceId: id,
      facts: {
        by: 'import',
        after,
        ...(credentials ? { credentials } : {}),
        ...(forgets ? { credentials: 'forgotten' } : {}),
      },
    };
  }
}

interface Progress {
  readonly query: ImportQuery;
  readonly format: FleetFormat['format'];
  readonly encoding: string;
  readonly count: number;
  readonly done: Pick<ImportView, 'created' | 'updated' | 'withoutCredentials'>;
  readonly problems: readonly LineProblem[];
  readonly changes: ImportChange[];
}

function viewOf({ query: { dryRun }, format, encoding, count, done, problems, changes }: Progress): ImportView {
  const failed = new Set(problems.map(({ line }) => line)).size;
  const unchanged = count - failed - done.created - done.updated;
  const errors = problems
    .toSorted((a, b) => a.line - b.line)
    .slice(0, PROBLEMS_MAX)
    .map(({ field, ...problem }) => ({ ...problem, field: field === null ? null : nameInFile(field, format) }));
  return { dryRun, encoding, lines: count, ...done, unchanged, failed, errors, ...(dryRun ? { changes } : {}) };
}

/** Locks the devices that the actor may change; others stay unlocked for callers who may change them. */
async function lockOwn(
  tx: EntityManager,
  found: readonly KnownDevice[],
  { rights }: Principal,
): Promise<KnownDevice[]> {
  const isTheirs = (device: KnownDevice) => rights.allows({ action: 'device.manage', device });
  const locked = await lockKnown(
    tx,
    found.filter(isTheirs).map(({ id }) => id),
  );
  return [...found.filter((device) => !isTheirs(device)), ...locked];
}

const hasCredentialsAfter = ({ account, forgets }: DeviceRow, existing: KnownDevice | null): boolean =>
  account !== null || (!forgets && existing !== null && existing.accountId !== null);
