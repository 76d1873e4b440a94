import { Inject, Injectable } from '@nestjs/common';
import { Access, type Principal } from '../auth/access/access.js';
import { Approvals } from '../auth/access/approvals.service.js';
import { Locks } from '../auth/access/locks.service.js';
import { StepUp } from '../auth/people/step-up.js';
import { ChangeReasons } from '../platform/change-reasons.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { refuseMarkersIn } from '../proxy/calls/marker-check.js';
import { checkPath, isBulkPath } from '../proxy/connections/call-request.js';
import { actsOf } from './fan-out.js';
import { type FanOutInput } from './fan-outs.contract.js';

/** Calls below this path change the firmware. */
const FIRMWARE = '/api/firmware/';

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
  check({ requests, request, keep, dryRun }: FanOutInput, actor: Principal): boolean {
    const calls = requests ?? [request!];
    const paths = calls.map(({ path }) => checkPath(path));
    const reason = 'several requests become one bulk request, which cannot hold another';
    if (calls.length > 1 && paths.some(isBulkPath)) throw new AppError('path_refused', { reason });
    const writes = calls.some(({ method }) => method !== 'GET');
    if (writes) refuseMarkersIn(calls);
    if (writes) this.access.require(actor, 'device.call_write');
    if (keep) this.reasons.check('fan_out.start', actor);
    if (!writes || dryRun) return writes;
    this.locks.refuseWrites();
    this.reasons.check('device.call_write', actor);
    return true;
  }

  /**
   * The requirements of a write to many devices besides the permission.
   * @param hasReader throws when the caller has disconnected
   * @throws AppError `step_up_required`, and those of `Approvals.require`
   */
  async requireForMany(
    input: FanOutInput,
    deviceIds: readonly string[],
    actor: Principal,
    approvalId: string | undefined,
    hasReader: () => void,
  ): Promise<void> {
    const acts = actsOf(input);
    const isFirmware = acts.some(({ writes, path }) => writes && path.toLowerCase().startsWith(FIRMWARE));
    if (isFirmware && deviceIds.length > this.config.FIRMWARE_STEP_UP_DEVICES) await this.stepUp.require(actor);
    // Without bodies and queries, which may contain secrets.
    const summary = { selector: input.selector, requests: acts.map(({ method, path }) => ({ method, path })) };
    // How outcomes are shown is not part of what the second person approves.
    const { dryRun: _dryRun, keep: _keep, stream: _stream, ...request } = input;
    const large = { action: 'device.call_write', request, summary, deviceIds } as const;
    await this.approvals.require(large, actor, approvalId, hasReader);
  }
}
