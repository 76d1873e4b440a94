import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { FieldsService } from '../../devices/registry/fields.service.js';
import { RegistryService } from '../../devices/registry.service.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { ObservedBodies } from '../observed/observed-bodies.js';
import { NEEDED_TO_READ, TemplateReach } from '../saved/template-reach.js';
import { ITEMS_OF_TEMPLATE_MAX } from '../saved/templates.contract.js';
import { Templates } from '../saved/templates.service.js';
import { type AdoptedField, descriptionOf } from './adopted-fields.js';
import { type Adoption, adoptionOf } from './adoption.js';
import { ADOPTED_DEVICES_MAX, type AdoptionInput, LEFT_OUT_MAX } from './adoptions.contract.js';

/** An option moves when it changed so often on one device, by none of our writes. */
const MOVES_FROM = 3;

interface AdoptedDevice {
  readonly id: string;
  readonly name: string;
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * Makes templates of what devices have. Nothing is written to a device. The values of options that differ are stored as custom fields:
 * these first and the draft last, so that what stopped in between is done again with the same request. What can be refused is before that.
 */
@Injectable()
export class Adoptions {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(Templates) private readonly templates: Templates,
    @Inject(FieldsService) private readonly fields: FieldsService,
    @Inject(RegistryService) private readonly registry: Pick<RegistryService, 'edit'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * @returns what was found; with `dryRun` nothing is stored
   * @throws AppError `invalid_selector`, `adoption_impossible`; as `Templates.create`, `FieldsService.define` and `RegistryService.edit`
   */
  async adopt(asked: AdoptionInput, actor: Principal) {
    const devices = await this.devicesOf(asked, actor.rights);
    const known = new Map((await this.fields.list()).map(({ key, description }) => [key, description]));
    const bodies = await this.bodies.read(devices.flatMap(({ digests }) => Object.values(digests)));
    const moving = new Set((await this.moving(devices, asked.paths)).map(({ path, option }) => `${path} ${option}`));
    const adoption = adoptionOf({
      paths: asked.paths,
      devices: devices.map(({ digests }) => new Map(asked.paths.map((path) => [path, bodies.get(digests[path]!)]))),
      fields: known,
      itemsMax: ITEMS_OF_TEMPLATE_MAX,
      moves: (path, option) => moving.has(`${path} ${option}`),
    });
    if (!asked.dryRun) await this.store(asked, adoption, devices, known, actor);
    return { template: asked.dryRun ? null : asked.name, ...viewOf(adoption, devices, known) };
  }

  /** @throws AppError `invalid_selector`, `adoption_impossible` */
  private async devicesOf({ from, paths }: AdoptionInput, rights: Rights): Promise<AdoptedDevice[]> {
    const values: unknown[] = [paths, ADOPTED_DEVICES_MAX + 1];
    const named = await this.reach.named(from, rights, values);
    const readable = this.reach.held(rights, NEEDED_TO_READ, paths, values);
    const devices = await this.db.query<(Omit<AdoptedDevice, 'digests'> & Partial<AdoptedDevice>)[]>(
      `select id, name,
              (select jsonb_object_agg(path, digest) from observed
                where device_id = device.id and path = any ($1::text[]) and error is null and digest is not null) as digests
         from device where ${named} and ${readable} order by name, id limit $2`,
      values,
    );
    if (devices.length === 0 || devices.length > ADOPTED_DEVICES_MAX)
      throw new AppError('adoption_impossible', { devices: devices.length });
    const isRead = (device: Partial<AdoptedDevice>): device is AdoptedDevice =>
      paths.every((path) => Object.hasOwn(device.digests ?? {}, path));
    const unread = devices.filter((device) => !isRead(device));
    if (unread.length > 0)
      throw new AppError('adoption_impossible', {
        unread: unread.length,
        unreadIds: unread.map(({ id }) => id),
        device: unread[0]!.name,
        path: paths.find((path) => !Object.hasOwn(unread[0]!.digests ?? {}, path)),
      });
    return devices.filter(isRead);
  }

  private moving(devices: readonly AdoptedDevice[], paths: readonly string[]) {
    return this.db.query<{ path: string; option: string }[]>(
      `select distinct path, regexp_replace(name, '^.*[.]', '') as option from (
         select device_id, path, name from observed_change cross join unnest(options) as name
          where device_id = any ($1::uuid[]) and path = any ($2::text[]) and audit_entry_id is null
          group by device_id, path, name having count(*) >= ${MOVES_FROM}) one`,
      [devices.map(({ id }) => id), paths],
    );
  }

  private async store(
    { name, selector }: AdoptionInput,
    { items, fields, leftOut }: Adoption,
    devices: readonly AdoptedDevice[],
    known: ReadonlyMap<string, string>,
    actor: Principal,
  ): Promise<void> {
    if (items.length === 0) throw new AppError('adoption_impossible', { leftOut: leftOut.length });
    const template = { name, selector, items: [...items] };
    const added = fields.filter(({ field }) => !known.has(field));
    await this.templates.requireCreatable(template, actor);
    if (added.length > 0) actor.rights.require({ action: 'field.manage' });
    if (fields.length > 0) await this.requireManaged(devices, actor.rights);
    for (const field of added)
      await this.fields.define(field.field, { type: 'text', description: descriptionOf(field) }, null, actor);
    for (const [index, { id }] of fields.length > 0 ? devices.entries() : []) {
      const values = Object.fromEntries(fields.map((field) => [field.field, field.values[index]!]));
      await this.registry.edit(id, { fields: values }, null, actor);
    }
    await this.templates.create(template, actor);
  }

  /** Before the first device is changed. @throws AppError `forbidden` */
  private async requireManaged(devices: readonly AdoptedDevice[], rights: Rights): Promise<void> {
    const values: unknown[] = [devices.map(({ id }) => id)];
    const managed = rights.sql('device.manage', values, this.clock.now());
    const [other] = await this.db.query<{ name: string }[]>(
      `select name from device where id = any ($1::uuid[]) and not (${managed}) order by name limit 1`,
      values,
    );
    if (other) throw new AppError('forbidden', { permission: 'device.manage', device: other.name });
  }
}

function viewOf(
  { items, fields, leftOut }: Adoption,
  devices: readonly AdoptedDevice[],
  known: ReadonlyMap<string, string>,
) {
  const valuesOf = ({ values }: AdoptedField) =>
    devices.map(({ id, name }, index) => ({ deviceId: id, device: name, value: values[index]! }));
  const shown = fields.map((field) => ({ ...field, isNew: !known.has(field.field), values: valuesOf(field) }));
  return { devices: devices.length, items, fields: shown, leftOut: leftOut.slice(0, LEFT_OUT_MAX) };
}
