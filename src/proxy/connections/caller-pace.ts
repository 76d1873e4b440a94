/*
 * Whether a caller keeps up with its call: it sends its streamed body, or reads its answer. One that does not would hold
 * a slot of the device for as long as its deadline allows. Pure; times in milliseconds.
 */

/** The longest stop that a caller may make while other calls wait: links of mobile callers pause for a second or two. */
const CREDIT_MS = 4_000;

/** The interval of checks. */
export const PACE_CHECK_MS = 500;

/** Time that the gateway waits for the caller uses credit up, and bytes that move earn it back. */
export class CallerPace {
  private creditMs = CREDIT_MS;
  private bytes = 0;

  /**
   * @param checkedAt when it begins
   * @param bytesPerSecond the least rate
   */
  constructor(
    private checkedAt: number,
    private readonly bytesPerSecond: number,
  ) {}

  /**
   * @param bytes that have moved in all
   * @param waits whether the gateway waits for the caller now, and not for the device
   * @returns whether the caller has no credit left
   */
  isBehind(now: number, bytes: number, waits: boolean): boolean {
    const earnedMs = ((bytes - this.bytes) / this.bytesPerSecond) * 1_000;
    const usedMs = waits ? now - this.checkedAt : 0;
    this.creditMs = Math.max(0, Math.min(CREDIT_MS, this.creditMs + earnedMs - usedMs));
    this.bytes = bytes;
    this.checkedAt = now;
    return waits && this.creditMs === 0;
  }
}
