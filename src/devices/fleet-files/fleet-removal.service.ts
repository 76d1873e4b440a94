import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Principal } from '../../auth/access/access.js';
import { Approvals } from '../../auth/access/approvals.service.js';
import { Locks } from '../../auth/access/locks.service.js';
import { type Device } from '../registry/device.entity.js';
import { selectRegistered } from '../registry/device.queries.js';
import { type RemoveInput, type RemoveView } from '../devices.contract.js';
import { requireSelection, selectionDigest } from '../../selectors/selection.js';
import { DevicesService } from '../registry/devices.service.js';
import { FleetService } from './fleet.service.js';
import { auditView, RegistryService } from '../registry.service.js';

/** Devices of one delete statement: their jobs and history are deleted, too, which takes time. */
const BATCH = 500;

/**
 * Removes all devices of a selector. The digest of their ids must match the caller's preview, otherwise nothing
 * happens. One transaction, with an audit entry for each device.
 */
@Injectable()
export class FleetRemoval {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Approvals) private readonly approvals: Approvals,
    @Inject(Locks) private readonly locks: Pick<Locks, 'refuseDevice'>,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(FleetService) private readonly fleet: FleetService,
    @Inject(RegistryService) private readonly registry: RegistryService,
  ) {}

  /** @throws AppError `invalid_selector` */
  async preview(selector: string, actor: Principal): Promise<RemoveView> {
    const { condition, values } = await this.fleet.visible(selector, actor.rights);
    const sql = `select device.id from device where ${condition} order by device.id`;
    const rows = await this.db.query<{ id: string }[]>(sql, values);
    return { dryRun: true, matched: rows.length, digest: selectionDigest(rows), removed: 0 };
  }

  /**
   * @throws AppError `selection_changed` when the selector now matches other devices, `forbidden` when the actor may
   *   not remove one of them, `locked`, `device_in_use`, and those of `Approvals.require`
   */
  async remove(
    { selector, expectedDigest }: Pick<RemoveInput, 'selector'> & { readonly expectedDigest: string },
    actor: Principal,
    approvalId: string | undefined,
  ): Promise<RemoveView> {
    const { condition, values } = await this.fleet.visible(selector, actor.rights);
    const removed = await this.registry.translate(() =>
      this.db.transaction(async (tx) => {
        const rest = `where ${condition} order by device.id for update of device`;
        const found = (await selectRegistered(tx, rest, values)).map(({ device }) => device);
        requireSelection(found, expectedDigest);
        this.requireAll(found, actor);
        await this.removeAll(tx, found, actor, expectedDigest);
        // Last, so that a refused removal leaves the approval unused.
        const deviceIds = found.map(({ id }) => id);
        const request = { selector, expectedDigest };
        const large = { action: 'device.manage', request, summary: { remove: true, selector }, deviceIds } as const;
        await this.approvals.require(large, actor, approvalId);
        return deviceIds;
      }),
    );
    for (const deviceId of removed) this.devices.changed(deviceId);
    return { dryRun: false, matched: removed.length, digest: expectedDigest, removed: removed.length };
  }

  private requireAll(devices: readonly Readonly<Device>[], { rights }: Principal): void {
    for (const device of devices) {
      rights.require({ action: 'device.manage', device });
      this.locks.refuseDevice(device);
    }
  }

  private async removeAll(
    tx: EntityManager,
    devices: readonly Readonly<Device>[],
    actor: Principal,
    digest: string,
  ): Promise<void> {
    for (let from = 0; from < devices.length; from += BATCH) {
      const batch = devices.slice(from, from + BATCH);
      await tx.query('delete from device where id = any($1::uuid[])', [batch.map(({ id }) => id)]);
      await this.audit.recordAll(
        tx,
        batch.map((device) => ({
          actor,
          action: 'device.remove' as const,
          subject: `device:${device.id}`,
          deviceId: device.id,
          facts: { by: 'selection', digest, before: auditView(device) },
        })),
      );
    }
  }
}
