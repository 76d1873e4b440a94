import { Inject, Injectable } from '@nestjs/common';
import { Access, type Principal } from '../auth/access/access.js';
import { Approvals } from '../auth/access/approvals.service.js';
import { Locks } from '../auth/access/locks.service.js';
import { StepUp } from '../auth/people/step-up.js';
import { ChangeReasons } from '../platform/change-reasons.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { refuseMarkersIn } from '../proxy/calls/marker-check.js';
import { type Act, checkPath, isBulkPath } from '../proxy/connections/call-request.js';
import { actsOf } from './fan-out.js';
import { type FanOutInput } from './fan-outs.contract.js';

/** Calls below this path change the firmware. */
const FIRMWARE = '/api/firmware/';

/** The facts for the requirements of a large write. */
interface ForMany {
  readonly deviceIds: readonly string[];
  /** The approval's id as sent by the caller. */
  readonly approvalId: string | undefined;
  /** Throws when the caller has disconnected. */
  readonly hasReader: () => void;
}

/** What a fan-out requires besides the rights to each device, streamed or stored. */
@Injectable()
export class FanOutChecks {
  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(ChangeReasons) private readonly reasons: ChangeReasons,
    @Inject(Approvals) private readonly approvals: Approvals,
    @Inject(StepUp) private readonly stepUp: StepUp,
    @Inject(Locks) private readonly locks: Locks,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'FIRMWARE_STEP_UP_DEVICES'>,
  ) {}

  /**
   * Checks a request before its devices are known.
   * @returns whether it writes
   * @throws AppError `path_refused`, `redaction_marker`, `forbidden`, `locked`, `change_reason_required`
   */
  check(body: FanOutInput, actor: Principal): boolean {
    const calls = body.requests ?? [body.request!];
    const paths = calls.map(({ path }) => checkPath(path));
    if (calls.length > 1 && paths.some(isBulkPath)) {
      throw new AppError('path_refused', {
        reason: 'several requests become one bulk request, which cannot hold another',
      });
    }
    const writes = calls.some(({ method }) => method !== 'GET');
    if (writes) refuseMarkersIn(calls);
    if (writes) this.access.require(actor, 'device.call_write');
    if (body.keep) this.reasons.check('fan_out.start', actor);
    if (writes && !body.dryRun) {
      this.locks.refuseWrites();
      this.reasons.check('device.call_write', actor);
    }
    return writes;
  }

  /**
   * The requirements of a write to many devices besides the permission.
   * @throws AppError `step_up_required`, and those of `Approvals.require`
   */
  async requireForMany(
    body: FanOutInput,
    { deviceIds, approvalId, hasReader }: ForMany,
    actor: Principal,
  ): Promise<void> {
    const acts = actsOf(body);
    const isFirmware = acts.some(({ writes, path }) => writes && path.toLowerCase().startsWith(FIRMWARE));
    if (isFirmware && deviceIds.length > this.config.FIRMWARE_STEP_UP_DEVICES) await this.stepUp.require(actor);
    const summary = { selector: body.selector, requests: acts.map(summaryOf) };
    // How outcomes are shown is not part of what the second person approves.
    const { dryRun: _dryRun, keep: _keep, stream: _stream, ...request } = body;
    const large = { action: 'device.call_write', request, summary, deviceIds } as const;
    await this.approvals.require(large, actor, approvalId, hasReader);
  }
}

/** A call without body and query, which may contain secrets. */
const summaryOf = ({ method, path }: Act) => ({ method, path });
