import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { RegistryService } from '../../devices/registry.service.js';
import { isMarker } from '../../device-api/redaction-marker.js';
import { AppError } from '../../platform/errors.js';
import { sectionsNamed } from '../desired/desired-plan.js';
import { keyText } from '../desired/normal-form.js';
import { type TemplateItem } from '../desired/template-item.js';
import { ObservedBodies } from '../observed/observed-bodies.js';
import { sectionsOf } from '../observed/sections.js';
import { NEEDED_TO_READ } from '../saved/template-reach.js';
import { type Template } from '../saved/template.entity.js';
import { Templates } from '../saved/templates.service.js';
import { type Setting, settingOf } from './adopted-values.js';
import { type AcceptDifference } from './adoptions.contract.js';

/** An option that is the value of one custom field. */
const FIELD = /^\{\{\s*field\.([a-z0-9_]+)\s*\}\}$/;

/**
 * Takes what a device has for what it should have: a drift that is right after all, or another spelling of the same. Where the
 * option is a custom field the device gets the value, else the draft.
 */
@Injectable()
export class DifferenceAcceptance {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(DevicesService) private readonly devices: Pick<DevicesService, 'resolve'>,
    @Inject(RegistryService) private readonly registry: Pick<RegistryService, 'edit'>,
    @Inject(Templates) private readonly templates: Pick<Templates, 'replace'>,
  ) {}

  /** @throws AppError `device_not_found`, `difference_not_found`; as `Templates.replace` and `RegistryService.edit` */
  async accept(template: Template, asked: AcceptDifference, actor: Principal) {
    const { path, option } = asked;
    const device = await this.devices.resolve(asked.device);
    for (const action of NEEDED_TO_READ) actor.rights.requireOnDevice({ action, device, path });
    const item = template.items.find((one) => one.path === path && keyText(one.key) === keyText(asked.key));
    const said = item && Object.hasOwn(item.options, option) ? item.options[option] : undefined;
    const value = said === undefined ? null : await this.seen(device.id, item!, option);
    if (said === undefined || value === null) throw new AppError('difference_not_found');
    const field = typeof said === 'string' && typeof value === 'string' ? (FIELD.exec(said)?.[1] ?? null) : null;
    if (field !== null) {
      await this.registry.edit(device.id, { fields: { [field]: value as string } }, null, actor);
      return { field, value };
    }
    const items = template.items.map((one) =>
      one === item ? { ...one, options: { ...one.options, [option]: value } } : one,
    );
    const { id, name, selector, version } = template;
    await this.templates.replace(id, { name, selector, items }, version, actor);
    return { field: null, value };
  }

  /** null: nothing that an item can say. */
  private async seen(deviceId: string, item: TemplateItem, option: string): Promise<Setting | null> {
    const [row] = await this.db.query<{ digest: string }[]>(
      'select digest from observed where device_id = $1 and path = $2 and error is null and digest is not null',
      [deviceId, item.path],
    );
    if (!row) return null;
    const body = (await this.bodies.read([row.digest])).get(row.digest);
    const [section, ...more] = sectionsNamed(item, sectionsOf(body));
    const value = section && more.length === 0 ? section.options[option] : undefined;
    return value === undefined || [value].flat().some(isMarker) ? null : settingOf(value);
  }
}
