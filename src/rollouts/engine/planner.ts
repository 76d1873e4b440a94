import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inSight } from '../../auth/rights/in-sight.js';
import { type Rights } from '../../auth/rights/rights.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { FleetService } from '../../devices/fleet-files/fleet.service.js';
import { Artifact } from '../../artifacts/artifact.entity.js';
import { kindNamed, KINDS, readSpec } from '../../jobs/engine/job-kinds.js';
import { type JobKind } from '../../jobs/kind/kind.js';
import { type JobKinds } from '../../jobs/kinds/index.js';
import { type SpecAuthor, SpecRights } from '../../jobs/engine/spec-rights.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { REVERSIBLE, wayBack, type ChangedTarget, type Image } from './roll-back.js';
import { CheckNeeds, type Need, type PlanAuthor } from './check-needs.js';
import { specFor } from './device-spec.js';
import { type DeviceValues, EXAMPLE, fillIn, unknownPlaces } from './device-values.js';
import { estimate, type Estimate } from './estimate.js';
import { type Candidate, dealWaves, type RolloutPolicy, rolloutPolicy, waveRules } from '../state/rollout-policy.js';
import { missing, needsOf } from './rollout-rights.js';
import { type Rollout } from '../state/rollout.entity.js';
import { refuseMarkersIn } from '../../proxy/calls/marker-check.js';

/*
 * What a rollout would do: which device takes part in which wave, which does not and why, and the shortest time. The same
 * plan is shown, approved and executed; its digest shows whether it has changed.
 */

/** The requested rollout. */
export interface RolloutIntent {
  readonly kind: string;
  readonly spec: unknown;
  readonly selector: string;
  readonly policy: RolloutPolicy;
  readonly startsAt: Date | null;
}

export interface PlannedDevice extends Candidate, DeviceValues {
  readonly state: string;
  readonly timeZone: string | null;
  /** The spec for this device, if it differs from the rollout's. */
  readonly spec?: unknown;
}

interface ChangedDevice extends ChangedTarget {
  readonly id: string;
  readonly name: string;
}

interface SkippedDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly reason: string;
}

export interface Plan {
  /** SHA-256 of everything that an approval covers, in hex. */
  readonly digest: string;
  readonly waves: readonly { readonly name: string; readonly devices: readonly PlannedDevice[] }[];
  readonly skipped: readonly SkippedDevice[];
  readonly offline: number;
  readonly bytesPerStart: number;
  readonly estimate: Estimate | null;
}

/** Larger rollouts must be split: the plan is one transaction. */
const TARGETS_MAX = 100_000;

/** A roll-back has no canary and no soak: its target state has worked before. */
const BACK = rolloutPolicy.parse({ waves: [{ take: 'rest' }] }).waves;

/** Why a device of the selector takes no part. */
const SKIPPED_STATES: Readonly<Record<string, string>> = {
  credentials_refused: 'device_credentials_refused',
  trust_changed: 'device_trust_changed',
};

@Injectable()
export class Planner {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(DevicesService) private readonly registry: DevicesService,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(SpecRights) private readonly specs: SpecRights,
    @Inject(CheckNeeds) private readonly checks: CheckNeeds,
  ) {}

  /**
   * Plans a rollout with the rights of the caller: devices out of sight are left out, and devices on which the caller may
   * not start the job are skipped.
   * @throws AppError `invalid_input` (kind, spec, checks), `invalid_selector`, `rollout_too_large`; `artifact_not_found`,
   *   `sealed_value_not_found`, `forbidden` for what the spec names and the author may not read
   */
  async plan(intent: RolloutIntent, author: PlanAuthor): Promise<Plan> {
    const { rights } = author;
    const kind = this.kindOf(intent);
    const { checks } = intent.policy;
    await this.checks.require(checks, author);
    const members = await this.fleet.members(intent.selector, rights, []);
    if (members.length > TARGETS_MAX)
      throw new AppError('rollout_too_large', { devices: members.length, limit: TARGETS_MAX });
    const devices = await this.load(members.map(({ id }) => id));
    const held = intent.policy.held === 'skip' ? await this.heldByOthers(this.db.manager) : new Set<string>();
    const skipped: SkippedDevice[] = [];
    const taking: PlannedDevice[] = [];
    const hasAccount = new Set(members.filter((member) => member.hasAccount).map(({ id }) => id));
    const mayStart = await this.starter(
      kind,
      devices.map(({ id }) => id),
      rights,
      this.checks.of(checks),
    );
    for (const device of devices) {
      const own = specFor(kind, intent.spec, device);
      const reason =
        (mayStart(device.id, own) ? null : 'forbidden') ??
        (hasAccount.has(device.id) ? null : 'device_has_no_credentials') ??
        SKIPPED_STATES[device.state] ??
        (held.has(device.id) ? 'held_by_rollout' : null) ??
        (device.state === 'offline' && intent.policy.offline.action === 'skip' ? 'offline' : null) ??
        ('reason' in own ? own.reason : null);
      if (reason === null) taking.push(device);
      else skipped.push({ deviceId: device.id, name: device.name, reason });
    }
    await this.requireNamed(kind, intent.spec, taking, author);
    const inOrder = taking.toSorted((a, b) => orderOf(a.id).localeCompare(orderOf(b.id)));
    const byId = new Map(inOrder.map((device) => [device.id, device]));
    const waves = dealWaves(inOrder, intent.policy.waves).map((ids, ordinal) => ({
      name: waveRules(intent.policy, ordinal).name ?? `wave ${ordinal + 1}`,
      devices: ids.map((id) => byId.get(id)!),
    }));
    return {
      digest: digestOf(intent, waves),
      waves,
      skipped,
      offline: taking.filter(({ state }) => state === 'offline').length,
      bytesPerStart: await this.bytesOf(kind, intent.spec, taking[0]),
      estimate: estimate(intent, waves, this.clock.now().getTime()),
    };
  }

  /**
   * Plans the roll-back of a rollout: each device to its state before, in one wave. Devices that were changed since, or
   * that cannot be rolled back, are skipped and named; devices out of sight are left out.
   * @throws AppError `rollout_has_no_way_back` for a kind that cannot be rolled back
   */
  async planBack(rollout: Rollout, author: SpecAuthor): Promise<{ intent: RolloutIntent; plan: Plan }> {
    if (!REVERSIBLE.includes(rollout.kind))
      throw new AppError('rollout_has_no_way_back', { kind: rollout.kind, kinds: REVERSIBLE });
    const { rights } = author;
    const targets = await this.changedBy(rollout.id, rights);
    const kind = this.kinds.get(rollout.kind)!;
    const judge = this.specs.checkerFor(author);
    const images = await this.db.query<Image[]>(
      `select id, sha256, version, models from artifact where kind = 'firmware' order by created_at desc`,
    );
    const ids = targets.map(({ id }) => id);
    const devices = new Map((await this.load(ids)).map((device) => [device.id, device]));
    const mayStart = await this.starter(kind, ids, rights);
    const skipped: SkippedDevice[] = [];
    const taking: PlannedDevice[] = [];
    for (const target of targets) {
      const device = devices.get(target.id);
      const back = wayBack(target, images);
      const reason = !device
        ? 'device_removed'
        : !mayStart(target.id, back)
          ? 'forbidden'
          : 'reason' in back
            ? back.reason
            : await judge.reason(kind, back.spec, target.id);
      if (reason === null) taking.push({ ...device!, spec: 'spec' in back ? back.spec : {} });
      else skipped.push({ deviceId: target.id, name: target.name, reason });
    }
    const policy = { ...rollout.policy, waves: BACK, checks: [], membership: 'frozen' as const, held: 'wait' as const };
    const intent = { kind: rollout.kind, spec: {}, selector: rollout.selector, policy, startsAt: null };
    const waves = [{ name: 'back', devices: taking }];
    const { digest, offline } = {
      digest: digestOf(intent, waves),
      offline: taking.filter(({ state }) => state === 'offline').length,
    };
    const plan = {
      digest,
      waves,
      skipped,
      offline,
      bytesPerStart: rollout.bytesPerStart,
      estimate: estimate(intent, waves, this.clock.now().getTime()),
    };
    return { intent, plan };
  }

  /** Whether a caller may start the job with its spec on a device; without a spec, whether they may start it at all. */
  private async starter(kind: JobKind, ids: readonly string[], rights: Rights, looks: readonly Need[] = []) {
    const known = await this.registry.targets(ids);
    return (deviceId: string, own: { readonly spec: unknown } | { readonly reason: string }): boolean => {
      const device = known.get(deviceId)?.device;
      const needs: readonly Need[] = 'spec' in own ? needsOf(kind, own.spec) : [{ action: 'job.start' }];
      return device !== undefined && missing(rights, [...needs, ...looks], device) === null;
    };
  }

  /** The targets that a rollout has changed and that the caller may see, with their present state. */
  private changedBy(rolloutId: string, rights: Rights): Promise<ChangedDevice[]> {
    const now = this.clock.now();
    const values: unknown[] = [rolloutId];
    const seen = inSight(rights, 'target.device_id', values, now);
    return this.db.query(
      `select target.device_id as id, target.device_name as name, job.kind, job.result,
              coalesce(job.result ->> 'from', target.before ->> 'firmware') as "firmwareBefore", device.firmware as "firmwareNow",
              exists (select from job later
                       where later.device_id = target.device_id and later.id <> target.job_id and later.created_at > target.began_at
                         and later.kind not in ('backup') and later.outcome in ('succeeded', 'failed', 'unknown')) as "changedSince"
         from rollout_target target
         join job on job.id = target.job_id
         left join device on device.id = target.device_id
        where target.rollout_id = $1 and target.state = 'succeeded' and ${seen}
        order by target.wave, target.position`,
      values,
    );
  }

  /**
   * The kind of a rollout, if its spec can be valid.
   * @throws AppError `invalid_input`: an unknown kind, an unknown placeholder, or an invalid spec without placeholders
   */
  private kindOf({ kind: name, spec }: RolloutIntent): JobKind {
    const kind = kindNamed(this.kinds, name);
    refuseMarkersIn(spec);
    const unknown = unknownPlaces(spec);
    if (unknown.length > 0) {
      const detail = `a device has no field ${unknown.join(', ')}`;
      throw new AppError('invalid_input', { errors: [{ pointer: '/body/spec', detail }] });
    }
    // Checked with example values, to refuse a wrong spec early.
    readSpec(kind, fillIn(spec, EXAMPLE).spec);
    return kind;
  }

  /** The spec names the same for all devices, or nearly: one that its author may not read stops the plan. */
  private async requireNamed(
    kind: JobKind,
    spec: unknown,
    devices: readonly PlannedDevice[],
    author: SpecAuthor,
  ): Promise<void> {
    const example = kind.spec.parse(fillIn(spec, EXAMPLE).spec);
    if (kind.artifactsOf(example).length + kind.sealedValuesOf(example).length === 0) return;
    const judge = this.specs.checkerFor(author);
    for (const device of devices) {
      const refusal = await judge.refusal(kind, kind.spec.parse(fillIn(spec, device).spec), device.id);
      if (refusal) throw refusal;
    }
  }

  private load(ids: readonly string[]): Promise<PlannedDevice[]> {
    return this.db.query(
      `select id, id as "deviceId", name, serial, mac, model, firmware, site, tags, state, time_zone as "timeZone"
         from device where id = any ($1::uuid[])`,
      [ids],
    );
  }

  /** Devices of other open rollouts. */
  private async heldByOthers(tx: EntityManager): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }[]>(
      `select distinct target.device_id as id from rollout_target target join rollout on rollout.id = target.rollout_id
        where target.state in ('waiting', 'offline', 'queued', 'running')
          and rollout.state in ('scheduled', 'running', 'paused', 'aborting')`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The bytes that each start sends to a device, for the bandwidth limit. */
  private async bytesOf(kind: JobKind, spec: unknown, device: PlannedDevice | undefined): Promise<number> {
    if (!device) return 0;
    const parsed = kind.spec.safeParse(fillIn(spec, device).spec);
    const ids = parsed.success ? kind.artifactsOf(parsed.data).map(({ artifactId }) => artifactId) : [];
    if (ids.length === 0) return 0;
    const { bytes } = (await this.db.manager
      .createQueryBuilder(Artifact, 'artifact')
      .select('coalesce(sum(artifact.bytes), 0)', 'bytes')
      .where('artifact.id = any (:ids)', { ids })
      .getRawOne<{ bytes: string }>())!;
    return Number(bytes);
  }
}

/** The order of devices does not depend on their names or sites, and is always the same. */
const orderOf = (deviceId: string): string => createHash('sha256').update(deviceId).digest('hex');

function digestOf({ kind, spec, policy, startsAt }: RolloutIntent, waves: Plan['waves']): string {
  const all = {
    kind,
    spec,
    policy,
    startsAt,
    waves: waves.map(({ devices }) => devices.map(({ id, spec: own }) => (own === undefined ? id : [id, own]))),
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
