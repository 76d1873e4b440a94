import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Artifact } from '../../artifacts/artifact.entity.js';
import { Locks } from '../../auth/access/locks.service.js';
import { type JobKind, type KnownFacts } from '../../jobs/kind-api/kind.js';
import { Clock } from '../../platform/clock.js';
import { EventLoopTurns } from '../../platform/event-loop.js';
import { OpeningsAhead } from '../state/maintenance-window.js';
import { type RolloutPolicy } from '../state/rollout-policy.js';
import { neededMs } from './rollout-rows.js';
import type { Device } from '../../devices/registry/device.entity.js';
import type { PlanView } from '../state/rollouts.contract.js';

/*
 * Which devices of a plan cannot start now, and why: they are away or locked, no window opens for them, or
 * their job would refuse them by what is known already. They stay in the plan, since most of it can be mended before the start.
 */

export interface ForeseenDevice extends Readonly<
  Pick<Device, 'id' | 'name' | 'state' | 'model' | 'firmware' | 'timeZone'>
> {
  /** The spec of its job. */
  readonly jobSpec: unknown;
}

/** The reasons with the most devices come first. */
export type PlanReadiness = Pick<PlanView, 'ready' | 'notReady'>;

const NAMES = 10;

@Injectable()
export class Foresight {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Locks) private readonly locks: Pick<Locks, 'devicesSql'>,
  ) {}

  /** Reads what is known of all devices in a statement for each fact. */
  async readiness(
    kind: JobKind,
    { policy, startsAt }: { readonly policy: RolloutPolicy; readonly startsAt: Date | null },
    devices: readonly ForeseenDevice[],
    locked: ReadonlySet<string>,
  ): Promise<PlanReadiness> {
    const ids = devices.map(({ id }) => id);
    const refusals = await this.refusalsOf(kind, devices, ids);
    const hasWindow = openZones(policy, Math.max(this.clock.nowMs(), startsAt?.getTime() ?? 0));
    const found = new Map<string, PlanReadiness['notReady'][number]>();
    const turns = new EventLoopTurns();
    let ready = 0;
    for (const device of devices) {
      if (turns.isOver) await turns.next();
      const reasons = [
        ...(device.state === 'offline' ? ['offline'] : []),
        ...(locked.has(device.id) ? ['locked'] : []),
        ...(hasWindow(device.timeZone ?? policy.timeZone) ? [] : ['no_window']),
        ...refusals(device),
      ];
      if (reasons.length === 0) ready++;
      for (const reason of new Set(reasons)) {
        const those = found.get(reason) ?? { reason, devices: 0, first: [] };
        found.set(reason, those);
        those.devices++;
        if (those.first.length < NAMES) those.first.push(device.name);
      }
    }
    return { ready, notReady: [...found.values()].toSorted((one, other) => other.devices - one.devices) };
  }

  /** Those of the devices that a lock in force names. */
  async lockedOf(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const values: unknown[] = [ids];
    const rows = await this.db.query<{ id: string }[]>(
      `select id from device where id = any ($1::uuid[]) and ${this.locks.devicesSql(values)}`,
      values,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** What the kind itself would refuse. */
  private async refusalsOf(
    kind: JobKind,
    devices: readonly ForeseenDevice[],
    ids: readonly string[],
  ): Promise<(device: ForeseenDevice) => string[]> {
    const { foresee } = kind;
    if (foresee === null) return () => [];
    const named = new Set(
      devices.flatMap(({ jobSpec }) => kind.artifactsOf(jobSpec).map(({ artifactId }) => artifactId)),
    );
    const stored = await this.db.manager.findBy(Artifact, { id: In([...named]) });
    const artifacts = new Map(stored.map((artifact) => [artifact.id, artifact]));
    const backups = await this.lastBackupsOf(ids);
    const now = this.clock.now();
    return (device) =>
      foresee(device.jobSpec, {
        device,
        now,
        lastBackup: backups.get(device.id) ?? null,
        artifact: (artifactId) => artifacts.get(artifactId) ?? null,
      }).map(({ code }) => code);
  }

  /** The newest backup of each device, as a job finds it (`step-context-factory.ts`). */
  private async lastBackupsOf(ids: readonly string[]): Promise<Map<string, NonNullable<KnownFacts['lastBackup']>>> {
    const rows = await this.db.query<{ deviceId: string; createdAt: Date; confirmedAt: Date | null }[]>(
      `select distinct on (device_id) device_id as "deviceId", created_at as "createdAt", confirmed_at as "confirmedAt"
         from artifact where kind = 'backup' and device_id = any ($1::uuid[]) order by device_id, created_at desc`,
      [ids],
    );
    return new Map(rows.map(({ deviceId, ...backup }) => [deviceId, backup]));
  }
}

/** Whether a window opens for devices of a time zone, before the rollout ends. */
function openZones(policy: RolloutPolicy, from: number): (zone: string) => boolean {
  const known = new Map<string, boolean>();
  const until = policy.endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(policy.endsAt);
  const isOpen = (zone: string): boolean => {
    const opening = new OpeningsAhead(policy.windows, zone, from).next(from, neededMs(policy));
    return opening !== null && opening.at <= until;
  };
  return (zone) => {
    const found = known.get(zone) ?? isOpen(zone);
    known.set(zone, found);
    return found;
  };
}
