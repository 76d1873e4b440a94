/*
 * Slots of a process that callers hold as long as they like, such as the upload of a slow sender. No key holds all of
 * them: its second slot leaves one free for another key, unless the limits say otherwise. Pure.
 */

export interface SlotLimits {
  /** Slots in all. Absent: only those of a key have a limit. */
  readonly total?: number;
  /** Slots of one key. */
  readonly perKey: number;
  /** A key may take the last slot, too: where work takes a moment, and not as long as its caller likes. */
  readonly mayTakeLast?: true;
}

export class KeyedSlots {
  private taken = 0;
  private readonly held = new Map<string, number>();

  constructor(private readonly limits: SlotLimits) {}

  /**
   * Takes a slot.
   * @param key who holds it, such as an operator; not a key, since all operators may make keys of their own
   * @returns releases it, once; null when the caller must come again later
   */
  take(key: string): (() => void) | null {
    const own = this.held.get(key) ?? 0;
    const { total = Infinity, perKey, mayTakeLast } = this.limits;
    if (own >= perKey || total - this.taken < (own > 0 && !mayTakeLast ? 2 : 1)) return null;
    this.taken++;
    this.held.set(key, own + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.taken--;
      const now = this.held.get(key)! - 1;
      if (now > 0) this.held.set(key, now);
      else this.held.delete(key);
    };
  }
}
