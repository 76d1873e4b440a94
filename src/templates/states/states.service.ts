import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type Principal } from '../../auth/access/access.js';
import { type Rights, type ScopedDevice } from '../../auth/rights/rights.js';
import { cutPage, decodeCursor } from '../../http/page.js';
import { AppError } from '../../platform/errors.js';
import { RolloutDrafts } from '../../rollouts/engine/rollout-drafts.js';
import { type Rollout } from '../../rollouts/state/rollout.entity.js';
import { type SyncState } from '../desired/sync-state.js';
import { NEEDED_TO_READ, TemplateReach } from '../saved/template-reach.js';
import { pathsOf, type Published, type Template } from '../saved/template.entity.js';
import { Templates } from '../saved/templates.service.js';
import { type RolloutOfTemplate, type StatesQuery } from './states.contract.js';

const COLUMNS = `
  known.state, known.reason, known.detail, known.since, known.desired, known.applied, known.observed, known.closed_at as "closedAt",
  known.differences, known.more_differences as "moreDifferences"`;

interface DeviceState {
  readonly deviceId: string;
  readonly device: string;
  readonly state: SyncState;
}

const key = z.tuple([z.string(), z.uuid()]);

/** How devices compare with templates, as readers see it. */
@Injectable()
export class States {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(RolloutDrafts) private readonly drafts: Pick<RolloutDrafts, 'create'>,
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(Templates) private readonly templates: Pick<Templates, 'inForce'>,
  ) {}

  /** The devices of a template by name. @throws AppError `invalid_cursor` */
  async list(template: Template, { sync, cursor, limit }: StatesQuery, rights: Rights) {
    const { id, name } = template;
    const version = await this.templates.inForce(template);
    const list = `template-states/${id}`;
    const [after, afterId] = cursor ? decodeCursor(list, cursor, key) : [null, null];
    const values: unknown[] = [id, sync ?? null, after, afterId, limit + 1];
    const rows = await this.db.query<DeviceState[]>(
      `select device.id as "deviceId", device.name as device, $${values.push(name)}::text as template, ${COLUMNS}
         from template_state known join device on device.id = known.device_id
        where known.template_id = $1 and ($2::text is null or known.state = $2)
          and ($3::text is null or (device.name, device.id) > ($3, $4::uuid))
          and device.id in (select id from device where ${this.reach.held(rights, NEEDED_TO_READ, pathsOf(version?.items ?? []), values)})
        order by device.name, device.id limit $5`,
      values,
    );
    return cutPage(list, rows, limit, (row) => [row.device, row.deviceId]);
  }

  /**
   * Makes a draft of a rollout that sets the devices of some states to the template. Which they are is asked again when a schedule
   * makes it.
   * @throws AppError `template_version_not_found`; as `RolloutDrafts.create`
   */
  async rollout(template: Template, asked: RolloutOfTemplate, actor: Principal): Promise<Rollout> {
    if (template.publishedNumber === null) throw new AppError('template_version_not_found');
    const { name } = template;
    return this.drafts.create(
      {
        name: asked.name ?? `set to ${name}`,
        kind: 'reconcile',
        spec: { template: name, acceptRisk: asked.acceptRisk },
        selector: asked.states.map((state) => `sync:${name}/${state}`).join(' | '),
        policy: asked.policy,
        startsAt: null,
      },
      actor,
    );
  }

  /** The templates that reach a device, by name. */
  async ofDevice(device: ScopedDevice, rights: Rights) {
    const isSeen = ({ items }: Published) =>
      pathsOf(items).every((path) => NEEDED_TO_READ.every((action) => rights.allows({ action, device, path })));
    const seen = (await this.reach.published()).filter(isSeen);
    return this.db.query<object[]>(
      `select device.id as "deviceId", device.name as device, template.name as template, ${COLUMNS}
         from template_state known join template on template.id = known.template_id join device on device.id = known.device_id
        where known.device_id = $1 and known.template_id = any ($2::uuid[]) order by template.name`,
      [device.id, seen.map(({ templateId }) => templateId)],
    );
  }
}
