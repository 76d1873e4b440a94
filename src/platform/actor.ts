/** Who acts, as the audit names it. Rights are decided in `auth/`; here is only what must be remembered. */
export interface Actor {
  /** `key:<id>`, `setup` or `system:<part>`. */
  readonly subject: string;
  /** The name of the operator behind it, for people. */
  readonly name: string;
  /** The request that this belongs to; also sent to the device as X-Request-Id. */
  readonly requestId: string | null;
  /** Where the request came from. */
  readonly address: string | null;
  /** X-Change-Reason of the request. */
  readonly reason: string | null;
}

/** Somebody who sends a request, and by which rules they are judged. */
export interface Asker extends Actor {
  readonly rights: {
    /** A digest of the rules: where it is the same, so is what is allowed. */
    readonly mark: Buffer;
  };
}

/**
 * The devices that a right reaches, as a condition on table `device`; adds its values to `values`.
 * Rooms to the left of `auth/` filter by it without knowing rights.
 */
export type DeviceScope = (values: unknown[], now: Date) => string;

/** The gateway itself, for work that no request asked for. */
export function systemActor(part: string): Actor {
  return { subject: `system:${part}`, name: part, requestId: null, address: null, reason: null };
}
