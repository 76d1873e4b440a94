/** The one that acts, as the audit records it. `auth/` decides its rights. */
export interface Actor {
  /** `key:<id>`, `session:<id>`, `setup`, `login`, `invitation`, `anonymous` or `system:<part>`. */
  readonly actorId: string;
  /** Display name of its operator. */
  readonly name: string;
  /** The id of the request; also sent to the device as X-Request-Id. */
  readonly requestId: string | null;
  readonly address: string | null;
  /** X-Change-Reason of the request. */
  readonly reason: string | null;
}

/** The sender of a request, with the rules that apply to it; in `auth/` it is a `Principal`. */
export interface ActorWithRights extends Actor {
  readonly rights: {
    /** A digest of the rules: equal digests allow the same. */
    readonly digest: Buffer;
  };
}

/** The devices that a right covers, as a condition on table `device`; adds its values to `values`. */
export type DeviceScope = (values: unknown[], now: Date) => string;

/** In the place of a path: a right that is asked for there must be held at each path. */
export const EVERY_PATH = '*';

/**
 * Whom a limit counts: the operator, since every operator may make keys and sessions of their own. A part of the gateway
 * has no operator, and is counted for itself.
 */
export function countedAs({ operatorId, actorId }: Actor & { readonly operatorId?: string | null }): string {
  return operatorId ?? actorId;
}

/** The gateway itself, for work without a request. */
export function systemActor(part: string): Actor {
  return { actorId: `system:${part}`, name: part, requestId: null, address: null, reason: null };
}
