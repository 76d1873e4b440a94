import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Authors } from '../../auth/keys/authors.service.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { newPassword } from '../../jobs/engine/step-credentials.js';
import { type JobTemplates, type ReadPaths, type TemplateChanges } from '../../jobs/kind-api/step-context.js';
import { type JobRow } from '../../jobs/rows/job.entity.js';
import { type Failure } from '../../jobs/rows/job-state.js';
import { SealedValuesService } from '../../jobs/sealed-values/sealed-values.service.js';
import { Clock } from '../../platform/clock.js';
import { type Readings } from '../observed/device-readings.js';
import { BODY_BYTES_MAX, ObservedBodies } from '../observed/observed-bodies.js';
import { ObservedStore, type PathReading } from '../observed/observed-store.js';
import { canonicalBody } from '../observed/sections.js';
import { nameOf } from '../desired/normal-form.js';
import { openOf, putBackAgain } from '../desired/sync-state.js';
import { CHANGES_MAX } from '../desired/template-item.js';
import { pathsOf } from '../saved/template.entity.js';
import { DeviceStates } from './device-states.js';
import { type ComparedDevice, type TemplateComparison } from './template-comparison.js';

/*
 * What a job of the kind `reconcile` needs of templates. The author of the job must hold the rights at each path of the template on
 * the device, since the paths are not in the spec of the job.
 */

const NEEDED = ['template.read', 'device.call_read', 'device.call_write'] as const;

const PUT_BACK_NAMED_MAX = 200;

interface Target {
  readonly comparison: TemplateComparison;
  readonly device: ComparedDevice;
}

@Injectable()
export class Reconciling {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DeviceStates) private readonly states: DeviceStates,
    @Inject(ObservedStore) private readonly observed: Pick<ObservedStore, 'keepRead'>,
    @Inject(SealedValuesService) private readonly values: Pick<SealedValuesService, 'makeFor'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'get'>,
    @Inject(Authors) private readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  for(job: JobRow): JobTemplates {
    return {
      paths: async (template) => {
        const target = await this.target(job, template);
        return 'code' in target ? target : pathsOf(target.comparison.version.items);
      },
      changes: (template, read) => this.changes(job, template, read),
      note: (template, made, read) => this.note(job, template, made, read),
    };
  }

  private async target(job: JobRow, template: string): Promise<Target | Failure> {
    const all = await this.states.published();
    const version = all.find(({ name }) => name === template);
    const comparison = version ? await this.states.comparison(version, all) : null;
    const device = await comparison?.device(this.db.manager, job.deviceId);
    if (!comparison || !device) {
      const message = 'No published version of this template reaches the device';
      return { code: 'template_not_published', message, facts: { template } };
    }
    const missing = await this.missing(job, comparison);
    if (missing) {
      const message = 'The author of the job lacks a right at a path of the template';
      return { code: 'template_forbidden', message, facts: { template, ...missing } };
    }
    if (device.known?.suspended_at) {
      const message = 'An option was put back too often, so two masters are at work: end the suspension first';
      return { code: 'template_suspended', message, facts: { template, since: device.known.suspended_at } };
    }
    return { comparison, device };
  }

  private async missing({ deviceId, operatorId, startedBy }: JobRow, { version }: TemplateComparison) {
    if (operatorId === null) return null; // a job of the gateway itself
    const rights = await this.authors.rightsOf({ operatorId, createdBy: startedBy });
    const { device } = await this.devices.get(deviceId);
    const needed = pathsOf(version.items).flatMap((path) => NEEDED.map((action) => ({ action, path })));
    const found = needed.find((right) => !rights?.allows({ ...right, device }));
    return found ? { permission: found.action, path: found.path } : null;
  }

  private async changes(job: JobRow, template: string, read: ReadPaths): Promise<TemplateChanges | Failure> {
    const target = await this.target(job, template);
    if ('code' in target) return target;
    const { comparison } = target;
    const { number, templateId } = comparison.version;
    const readings = readingsOf(comparison, read);
    let verdict = await comparison.judge(target.device, readings);
    const unmade = verdict.sync ? comparison.unmade(target.device) : [];
    for (const { name, path, option, length } of unmade) {
      const label = `${option} of ${path} by the template ${template}`.slice(0, 120);
      await this.values.makeFor(templateId, job.deviceId, name, { label, value: newPassword(length) });
    }
    const device = unmade.length > 0 ? await comparison.device(this.db.manager, job.deviceId) : null;
    if (device) verdict = await comparison.judge(device, readings);
    const { sync, reason, detail } = verdict;
    if (!sync) {
      const message = 'The device cannot be compared with the template';
      return { code: 'template_left_out', message, facts: { template, reason, detail } };
    }
    const { changes } = sync.plan;
    const open = new Set(openOf(sync.plan).map(nameOf));
    const putBack = [...new Set(sync.moved.map(nameOf))].filter((name) => open.has(name)).slice(0, PUT_BACK_NAMED_MAX);
    const left = Math.max(0, changes.length - CHANGES_MAX);
    return { number, changes: changes.slice(0, CHANGES_MAX), left, putBack };
  }

  private async note(
    job: JobRow,
    template: string,
    { number, left, putBack }: Omit<TemplateChanges, 'changes'>,
    read: ReadPaths,
  ): Promise<void> {
    const now = this.clock.now();
    await this.observed.keepRead(job.deviceId, now, [...read].flatMap(pathReadingOf));
    const target = await this.target(job, template);
    if ('code' in target) return;
    const { comparison, device } = target;
    const verdict = await comparison.judge(device, readingsOf(comparison, read));
    const isApplied = left === 0 && number === comparison.version.number && verdict.sync !== null;
    await this.db.transaction(async (tx) => {
      await this.states.store(tx, comparison, comparison.rowOf(device, verdict, now, isApplied));
      if (putBack.length > 0) await this.count(tx, target, putBack, now, job);
    });
  }

  /** A third time in seven days means that another master sets the option, too: no job puts it back any more. */
  private async count(
    tx: EntityManager,
    { comparison: { version }, device }: Target,
    putBack: readonly string[],
    now: Date,
    job: JobRow,
  ): Promise<void> {
    const counted = putBackAgain(device.known?.put_back ?? {}, putBack, now, job.id);
    const isSuspended = counted.suspends.length > 0;
    await tx.query(
      `update template_state set put_back = $3, suspended_at = case when $4 then $5::timestamptz end,
              state = case when $4 then 'suspended' else state end, since = case when $4 then $5 else since end
        where template_id = $1 and device_id = $2`,
      [version.templateId, device.id, JSON.stringify(counted.putBack), isSuspended, now],
    );
  }
}

function readingsOf({ version }: TemplateComparison, read: ReadPaths): Readings {
  const bodies = new Map([...read].map(([path, body]) => [path, JSON.parse(canonicalBody(body)) as unknown]));
  const notThere = pathsOf(version.items).find((path) => !read.has(path)) ?? null;
  return { bodies, digest: ObservedBodies.digestOf(JSON.stringify([...bodies])), notThere };
}

function pathReadingOf([path, body]: readonly [string, unknown]): PathReading[] {
  const json = canonicalBody(body);
  if (Buffer.byteLength(json) > BODY_BYTES_MAX) return [];
  return [{ path, body: { digest: ObservedBodies.digestOf(json), json }, error: null }];
}
