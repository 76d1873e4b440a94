import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { PgNotifications } from '../database/pg-notifications.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { LoginCounts } from '../devices/registry/login-counts.js';
import { type Principal } from '../auth/access/access.js';
import { errorFields, LOG } from '../platform/log.js';
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

/** Tells the other processes of a reset: each has its own sessions and breakers. */
const RESET_TOPIC = 'session_reset';

/** The operator's view of a device's sessions, and their reset. */
@Injectable()
export class SessionsService {
  /** Devices whose reset this process has announced, and does not hear of again. */
  private readonly announced = new Set<string>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(LoginCounts) private readonly counts: LoginCounts,
    @Inject(SessionPool) private readonly pool: SessionPool,
    @Inject(DeviceBreakers) private readonly breakers: DeviceBreakers,
    @Inject(CallExecutor) private readonly executor: Pick<CallExecutor, 'slots'>,
    @Inject(PgNotifications) private readonly notifications: Pick<PgNotifications, 'on' | 'notify' | 'isListening'>,
    @Inject(LOG) log: Logger,
  ) {
    notifications.on(RESET_TOPIC, (deviceId) => {
      if (deviceId === null || this.announced.delete(deviceId)) return;
      this.resetHere(deviceId).catch((error: unknown) =>
        log.warn({ deviceId, ...errorFields(error) }, 'The sessions of a device were not reset here'),
      );
    });
  }

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
   * Logs out and closes the breaker in all processes, and allows a refused password again, once: the next refusal counts.
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
    await this.resetHere(id);
    if (this.notifications.isListening) this.announced.add(id);
    await this.notifications.notify(this.db.manager, RESET_TOPIC, id);
    return this.get(ref, actor);
  }

  private async resetHere(deviceId: string): Promise<void> {
    await this.pool.reset(deviceId);
    this.breakers.reset(deviceId);
  }
}
