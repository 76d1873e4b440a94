import { type Limits } from '../../device-api/exchange.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { callLimits } from '../calls/call-limits.js';
import { checkPath, isBulkPath, singleCall, type CallRequest } from '../connections/call-request.js';

/*
 * What method and path of a request say about its call, cached for the latest addresses. Nothing in a plan depends on
 * the caller, the device or the time, so that a plan is valid for ever.
 */

export interface CallPlan {
  /** For a bulk request the call without its acts, which are in its body. */
  readonly call: CallRequest;
  /** Whether it is a bulk request, whose body is not read yet. */
  readonly isUnreadBulk: boolean;
  /** The permission that the call needs at least; the acts of an unread bulk request are not known yet. */
  readonly permission: 'device.call_read' | 'device.call_write';
  readonly limits: Limits;
}

/** The most plans of one method, about 1 KB each. */
const PLANS_MAX = 2_000;

/** Longer addresses are rare, and are planned each time: a caller without rights must not fill memory with them. */
const CACHED_ADDRESS_MAX = 256;

export class CallPlans {
  /** By method: a server takes few of them. */
  private readonly byMethod = new Map<string, ReturnType<typeof boundedCache<string, CallPlan>>>();

  /** @param maxBytes largest answer */
  constructor(private readonly maxBytes: number) {}

  /**
   * @param address path and query of the device, as sent
   * @throws AppError `path_refused` with the reason; a refusal is not cached
   */
  find(method: string, address: string): CallPlan {
    if (address.length > CACHED_ADDRESS_MAX) return this.plan(method, address);
    let plans = this.byMethod.get(method);
    if (!plans) this.byMethod.set(method, (plans = boundedCache<string, CallPlan>(PLANS_MAX)));
    let plan = plans.get(address);
    if (!plan) plans.set(address, (plan = this.plan(method, address)));
    return plan;
  }

  private plan(method: string, address: string): CallPlan {
    const path = checkPath(address);
    const call = singleCall(method, path);
    const isUnreadBulk = isBulkPath(path);
    return {
      call,
      isUnreadBulk,
      permission: isUnreadBulk ? 'device.call_read' : permissionOf(call.writes),
      limits: callLimits(call, this.maxBytes),
    };
  }
}

export const permissionOf = (writes: boolean): CallPlan['permission'] =>
  writes ? 'device.call_write' : 'device.call_read';
