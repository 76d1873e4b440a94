import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { LoginCounts } from '../devices/registry/login-counts.js';
import { type Principal } from '../auth/access/access.js';
import { DeviceBreakers } from './calls/device-breakers.js';
import { CallExecutor } from './calls/call-executor.js';
import { SessionPool, type SessionView } from './sessions/session-pool.js';
import { type SlotKind } from './connections/slots.js';

/** The connection state of a device in this process. Other replicas have their own connections and breakers. */
export interface ConnectionView {
  readonly sessions: readonly SessionView[];
  readonly breaker: { readonly state: 'closed' | 'open'; readonly failures: number; readonly trialAt: Date | null };
  readonly slots: Record<SlotKind, { readonly taken: number; readonly waiting: number }>;
}

/** The operator's view of a device's sessions, and their reset. */
@Injectable()
export class SessionsService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(LoginCounts) private readonly counts: LoginCounts,
    @Inject(SessionPool) private readonly pool: SessionPool,
    @Inject(DeviceBreakers) private readonly breakers: DeviceBreakers,
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'slots'>,
  ) {}

  /** @throws AppError `device_not_found` */
  async get(ref: string, { rights }: Principal): Promise<ConnectionView> {
    const device = await this.devices.resolve(ref);
    rights.requireOnDevice({ action: 'device.read', device });
    const { id } = device;
    const registered = await this.devices.get(id);
    return {
      sessions: await this.pool.describe(registered),
      breaker: this.breakers.describe(registered.device),
      slots: this.executor.slots.describe(id),
    };
  }

  /**
   * Logs out, closes the breaker, and allows a refused password again, once: the next refusal counts.
   * @throws AppError `device_not_found`
   */
  async reset(ref: string, actor: Principal): Promise<ConnectionView> {
    const { id } = await this.devices.resolve(ref);
    const { device, account, readAccount } = await this.devices.get(id);
    actor.rights.requireOnDevice({ action: 'device.manage', device });
    await this.db.transaction((tx) =>
      this.audit.record(tx, {
        actor,
        action: 'device.session_reset',
        subject: `device:${id}`,
        deviceId: id,
        facts: {
          state: device.state,
          failedLogins: account?.failedLogins ?? null,
          readFailedLogins: readAccount?.failedLogins ?? null,
        },
      }),
    );
    for (const known of [account, readAccount]) if (known) await this.counts.clear(known.id);
    if (device.state === 'credentials_refused')
      await this.devices.storeObservations(id, { state: 'new', stateReason: null });
    await this.pool.reset(id);
    this.breakers.reset(id);
    return this.get(ref, actor);
  }
}
