import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inSight } from '../../auth/rights/in-sight.js';
import { type RequiredRight, type Rights } from '../../auth/rights/rights.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { callRefusal } from '../../devices/fleet-files/fleet-preview.service.js';
import { type FleetMember, FleetService } from '../../devices/fleet-files/fleet.service.js';
import { kindNamed, KINDS, readSpec } from '../../jobs/engine/job-kinds.js';
import { type JobKind } from '../../jobs/kind-api/kind.js';
import { type JobKinds } from '../../jobs/kinds/index.js';
import { type SpecAuthor, SpecRights } from '../../jobs/engine/spec-rights.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type ChangedDeviceFacts, type Image, REVERSIBLE, rollbackSpec } from './roll-back.js';
import { CheckNeeds, type PlanAuthor } from './check-needs.js';
import { missing, needsOf, specFor } from './rollout-rights.js';
import { type DeviceValues, EXAMPLE_DEVICE, fillIn, unknownPlaceholders } from './device-values.js';
import { estimate } from './estimate.js';
import { plannedFirmware } from './planned-firmware.js';
import { type ForeseenDevice, Foresight, type PlanReadiness } from './foresight.js';
import { assignWaves, type Candidate, type RolloutPolicy, rolloutPolicy, waveRules } from '../state/rollout-policy.js';
import { type Rollout } from '../state/rollout.entity.js';
import { refuseMarkersIn } from '../../proxy/calls/marker-check.js';
import type { PlanView } from '../state/rollouts.contract.js';

/*
 * What a rollout would do: which device takes part in which wave, which does not and why, and an estimate of the time.
 * The same plan is shown, approved and executed, but with the membership `following` devices join and leave later. Its
 * digest shows whether it has changed.
 */

/** The requested rollout. */
export interface RequestedRollout {
  readonly kind: string;
  readonly spec: unknown;
  readonly selector: string;
  readonly policy: RolloutPolicy;
  readonly startsAt: Date | null;
  /** Of the devices that the author has seen, if any. */
  readonly expectedDigest?: string | undefined;
}

export interface PlannedDevice extends Candidate, DeviceValues {
  readonly state: FleetMember['state'];
  readonly timeZone: string | null;
  /** The spec for this device, if it differs from the rollout's. */
  readonly spec?: unknown;
}

interface ChangedDevice extends ChangedDeviceFacts {
  readonly id: string;
  readonly name: string;
}

type SkippedDevice = PlanView['skipped'][number];
type HeldBy = PlanView['heldBy'][number];
type Holder = Omit<HeldBy, 'devices'>;

/** Its digest is the SHA-256 of kind, spec, policy, start and the devices of each wave, in hex; without the selector. */
export interface Plan
  extends
    PlanReadiness,
    Pick<PlanView, 'digest' | 'skipped' | 'heldBy' | 'offline' | 'firmware' | 'bytesPerStart' | 'estimate'> {
  readonly waves: readonly { readonly name: string; readonly devices: readonly PlannedDevice[] }[];
}

/** Larger rollouts must be split: the plan is one transaction. */
const TARGETS_MAX = 100_000;

/** A roll-back has one wave without soak: the state that it restores has worked before. */
const ROLLBACK_WAVES = rolloutPolicy.parse({ waves: [{ take: 'rest' }] }).waves;

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
    @Inject(Foresight) private readonly foresight: Foresight,
  ) {}

  /**
   * Plans a rollout with the rights of the caller: invisible devices are not part of it, and devices on which the caller may
   * not start the job are skipped.
   * @throws AppError `invalid_input` (kind, spec, checks), `invalid_selector`, `selection_changed`, `rollout_too_large`; `artifact_not_found`,
   *   `sealed_value_not_found`, `forbidden` for what the spec names and the author may not read
   */
  async plan(requested: RequestedRollout, author: PlanAuthor): Promise<Plan> {
    const { rights } = author;
    const kind = this.kindOf(requested);
    const { checks } = requested.policy;
    await this.checks.require(checks, author);
    const members = await this.fleet.members(requested.selector, rights, [], requested.expectedDigest);
    if (members.length > TARGETS_MAX)
      throw new AppError('rollout_too_large', { devices: members.length, limit: TARGETS_MAX });
    const devices = await this.load(members.map(({ id }) => id));
    const ids = devices.map(({ id }) => id);
    const holders = await this.inOtherRollouts(ids);
    const isSkippedWhenHeld = requested.policy.held === 'skip';
    const held: Holder[] = [];
    const skipped: SkippedDevice[] = [];
    const participants: PlannedDevice[] = [];
    const jobs: ForeseenDevice[] = [];
    const hasAccount = new Set(members.filter((member) => member.hasAccount).map(({ id }) => id));
    const isAllowed = await this.allowedOn(kind, ids, rights, this.checks.rightsNeededBy(checks));
    for (const device of devices) {
      const own = specFor(kind, requested.spec, device);
      const reason =
        (isAllowed(device.id, own) ? null : 'forbidden') ??
        callRefusal({ hasAccount: hasAccount.has(device.id), state: device.state }) ??
        (isSkippedWhenHeld && holders.has(device.id) ? 'held_by_rollout' : null) ??
        (device.state === 'offline' && requested.policy.offline.action === 'skip' ? 'offline' : null) ??
        ('reason' in own ? own.reason : null);
      if (reason === null) {
        participants.push(device);
        jobs.push({ ...device, jobSpec: 'spec' in own ? own.spec : null });
      } else skipped.push({ deviceId: device.id, name: device.name, reason });
      if (reason === null || reason === 'held_by_rollout') held.push(...(holders.get(device.id) ?? []));
    }
    await this.requireReferences(kind, requested.spec, participants, author);
    const locked = await this.foresight.lockedOf(participants.map(({ id }) => id));
    const waves = wavesOf(participants, locked, requested.policy);
    const bytesPerStart = await this.bytesOf(kind, requested.spec, participants[0]);
    const readiness = await this.foresight.readiness(kind, requested, jobs, locked);
    const isFirmware = requested.kind === 'firmware';
    const firmware = isFirmware ? await plannedFirmware(this.db, participants, rights, this.clock.now()) : [];
    return {
      ...this.result(requested, waves, skipped, bytesPerStart),
      ...readiness,
      firmware,
      heldBy: countedBy(held),
    };
  }

  /**
   * Plans the roll-back of a rollout: each device to its state before, in one wave. Devices that were changed since, or
   * that cannot be rolled back, are skipped and named; invisible devices are not part of it.
   * @throws AppError `rollout_has_no_way_back` for a kind that cannot be rolled back
   */
  async planRollback(rollout: Rollout, author: SpecAuthor): Promise<{ requested: RequestedRollout; plan: Plan }> {
    if (!REVERSIBLE.includes(rollout.kind))
      throw new AppError('rollout_has_no_way_back', { kind: rollout.kind, kinds: REVERSIBLE });
    const { rights } = author;
    const targets = await this.changedTargets(rollout.id, rights);
    const kind = this.kinds.get(rollout.kind)!;
    const checker = this.specs.checkerFor(author);
    const images = await this.db.query<Image[]>(
      `select id, sha256, version, models from artifact where kind = 'firmware' order by created_at desc`,
    );
    const ids = targets.map(({ id }) => id);
    const devices = new Map((await this.load(ids)).map((device) => [device.id, device]));
    const isAllowed = await this.allowedOn(kind, ids, rights);
    const skipped: SkippedDevice[] = [];
    const participants: PlannedDevice[] = [];
    for (const target of targets) {
      const device = devices.get(target.id);
      const rollback = rollbackSpec(target, images);
      const reason = !device
        ? 'device_removed'
        : !isAllowed(target.id, rollback)
          ? 'forbidden'
          : 'reason' in rollback
            ? rollback.reason
            : await checker.reason(kind, rollback.spec, target.id);
      if (reason === null) participants.push({ ...device!, spec: 'spec' in rollback ? rollback.spec : {} });
      else skipped.push({ deviceId: target.id, name: target.name, reason });
    }
    const policy = {
      ...rollout.policy,
      waves: ROLLBACK_WAVES,
      checks: [],
      membership: 'frozen' as const,
      held: 'wait' as const,
    };
    const requested = { kind: rollout.kind, spec: {}, selector: rollout.selector, policy, startsAt: null };
    const waves = [{ name: 'back', devices: participants }];
    const jobs = participants.map((device) => ({ ...device, jobSpec: kind.spec.parse(device.spec) }));
    const locked = await this.foresight.lockedOf(jobs.map(({ id }) => id));
    const readiness = await this.foresight.readiness(kind, requested, jobs, locked);
    return { requested, plan: { ...this.result(requested, waves, skipped, rollout.bytesPerStart), ...readiness } };
  }

  private result(
    requested: RequestedRollout,
    waves: Plan['waves'],
    skipped: SkippedDevice[],
    bytesPerStart: number,
  ): Omit<Plan, keyof PlanReadiness> {
    const offline = waves.flatMap(({ devices }) => devices).filter(({ state }) => state === 'offline').length;
    const earliest = estimate(requested, waves, this.clock.now().getTime());
    const digest = digestOf(requested, waves);
    return { digest, waves, skipped, heldBy: [], offline, firmware: [], bytesPerStart, estimate: earliest };
  }

  /** Whether a caller may start the job with its spec on a device; without a spec, whether they may start it at all. */
  private async allowedOn(
    kind: JobKind,
    ids: readonly string[],
    rights: Rights,
    checkNeeds: readonly RequiredRight[] = [],
  ) {
    const known = await this.registry.getMany(ids);
    return (deviceId: string, own: { readonly spec: unknown } | { readonly reason: string }): boolean => {
      const device = known.get(deviceId)?.device;
      const needs: readonly RequiredRight[] = 'spec' in own ? needsOf(kind, own.spec) : [{ action: 'job.start' }];
      return device !== undefined && missing(rights, [...needs, ...checkNeeds], device) === null;
    };
  }

  /** The targets that a rollout has changed and that the caller may see, with their present state. */
  private changedTargets(rolloutId: string, rights: Rights): Promise<ChangedDevice[]> {
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
  private kindOf({ kind: name, spec }: RequestedRollout): JobKind {
    const kind = kindNamed(this.kinds, name);
    refuseMarkersIn(spec);
    const unknown = unknownPlaceholders(spec);
    if (unknown.length > 0) {
      const detail = `a device has no field ${unknown.join(', ')}`;
      throw new AppError('invalid_input', { errors: [{ pointer: '/body/spec', detail }] });
    }
    // Checked with example values, to refuse a wrong spec early.
    readSpec(kind, fillIn(spec, EXAMPLE_DEVICE).spec);
    return kind;
  }

  /** Requires that the author may read each artifact and sealed value that the spec names; otherwise there is no plan. */
  private async requireReferences(
    kind: JobKind,
    spec: unknown,
    devices: readonly PlannedDevice[],
    author: SpecAuthor,
  ): Promise<void> {
    const example = kind.spec.parse(fillIn(spec, EXAMPLE_DEVICE).spec);
    if (kind.artifactsOf(example).length + kind.sealedValuesOf(example).length === 0) return;
    const checker = this.specs.checkerFor(author);
    for (const device of devices) {
      const refusal = await checker.refusal(kind, kind.spec.parse(fillIn(spec, device).spec), device.id);
      if (refusal) throw refusal;
    }
  }

  private load(ids: readonly string[]): Promise<PlannedDevice[]> {
    return this.db.query(
      `select id, id as "deviceId", name, serial, mac, model, firmware, site, fields, tags, state, time_zone as "timeZone"
         from device where id = any ($1::uuid[]) order by name`,
      [ids],
    );
  }

  /** The other open rollouts of devices, by the device. */
  private async inOtherRollouts(ids: readonly string[]): Promise<Map<string, Holder[]>> {
    const rows = await this.db.query<(Holder & { deviceId: string })[]>(
      `select target.device_id as "deviceId", rollout.id as "rolloutId", rollout.name
         from rollout_target target join rollout on rollout.id = target.rollout_id
        where target.device_id = any ($1::uuid[]) and target.state in ('waiting', 'offline', 'queued', 'running')
          and rollout.state in ('scheduled', 'running', 'paused', 'aborting')`,
      [ids],
    );
    const holders = new Map<string, Holder[]>();
    for (const { deviceId, ...holder } of rows) holders.set(deviceId, [...(holders.get(deviceId) ?? []), holder]);
    return holders;
  }

  /** The bytes that each start sends, for the bandwidth limit. A roll-back takes those of the rollout it undoes. */
  private async bytesOf(kind: JobKind, spec: unknown, device: PlannedDevice | undefined): Promise<number> {
    if (!device) return 0;
    const parsed = kind.spec.safeParse(fillIn(spec, device).spec);
    const ids = parsed.success ? kind.artifactsOf(parsed.data).map(({ artifactId }) => artifactId) : [];
    if (ids.length === 0) return 0;
    const [row] = await this.db.query<[{ bytes: string }]>(
      'select coalesce(sum(bytes), 0) as bytes from artifact where id = any ($1::uuid[])',
      [ids],
    );
    return Number(row.bytes);
  }
}

function wavesOf(
  participants: readonly PlannedDevice[],
  locked: ReadonlySet<string>,
  policy: RolloutPolicy,
): Plan['waves'] {
  const byId = new Map(participants.map((device) => [device.id, device]));
  const inOrder = participants
    .map((device) => ({ ...device, isAway: device.state === 'offline' || locked.has(device.id) }))
    .toSorted((a, b) => orderOf(a.id).localeCompare(orderOf(b.id)));
  return assignWaves(inOrder, policy.waves).map((ids, ordinal) => ({
    name: waveRules(policy, ordinal).name ?? `wave ${ordinal + 1}`,
    devices: ids.map((id) => byId.get(id)!),
  }));
}

/** Those with the most devices first. */
function countedBy(held: readonly Holder[]): HeldBy[] {
  const counted = new Map<string, HeldBy>();
  for (const holder of held) {
    const devices = (counted.get(holder.rolloutId)?.devices ?? 0) + 1;
    counted.set(holder.rolloutId, { ...holder, devices });
  }
  return [...counted.values()].toSorted((a, b) => b.devices - a.devices);
}

/** A stable order that does not depend on names or sites, so that the canary is not always the same site. */
const orderOf = (deviceId: string): string => createHash('sha256').update(deviceId).digest('hex');

function digestOf({ kind, spec, policy, startsAt }: RequestedRollout, waves: Plan['waves']): string {
  const all = {
    kind,
    spec,
    policy,
    startsAt,
    waves: waves.map(({ devices }) => devices.map(({ id, spec: own }) => (own === undefined ? id : [id, own]))),
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
