import { type AclAction, unversioned } from '../../device-api/contract.js';

/*
 * Access lists in the device's own grammar (specification, Access control list): patterns of paths, each with the actions
 * `read` and `write`. `/system/*` covers `/system` and all below it, `*` and `/*` cover everything, anything else is one
 * path. Patterns may leave out `/api`, and version prefixes make no difference. Pure.
 */

/** `{"api":{"/wireguard/*":["read","write"]}}` */
export interface DeviceAcl {
  readonly api: Readonly<Record<string, readonly AclAction[]>>;
}

interface Pattern {
  readonly path: string;
  readonly below: boolean;
}

export class PathRules {
  private readonly patterns: Readonly<Record<AclAction, readonly Pattern[]>>;

  /** @param anyCase whether letter case makes no difference: for what is denied, so that spelling is no way around */
  constructor(
    acl: DeviceAcl,
    private readonly anyCase: boolean,
  ) {
    const of = (action: AclAction) =>
      Object.entries(acl.api)
        .filter(([, actions]) => actions.includes(action))
        .map(([pattern]) => readPattern(anyCase ? pattern.toLowerCase() : pattern));
    this.patterns = { read: of('read'), write: of('write') };
  }

  /** @param policy canonical path of the device, from /api on, without version prefix and query */
  covers(action: AclAction, policy: string): boolean {
    const path = this.anyCase ? policy.toLowerCase() : policy;
    return this.patterns[action].some((pattern) => fits(pattern, path));
  }

  /** Whether there is any path for an action. */
  hasAny(action: AclAction): boolean {
    return this.patterns[action].length > 0;
  }

  /** Whether every path is covered. */
  hasAll(action: AclAction): boolean {
    return this.patterns[action].some(({ path, below }) => below && path === '/api');
  }

  /** Whether all that another list covers is covered by this one; `false` where that cannot be told pattern by pattern. */
  includes(other: PathRules, action: AclAction): boolean {
    return other.patterns[action].every((theirs) =>
      this.patterns[action].some((ours) =>
        theirs.below ? ours.below && fits(ours, theirs.path) : fits(ours, theirs.path),
      ),
    );
  }
}

function readPattern(pattern: string): Pattern {
  if (pattern === '*' || pattern === '/*') return { path: '/api', below: true };
  const hasRoot = pattern.startsWith('/api/') || pattern === '/api';
  const whole = unversioned(hasRoot ? pattern : `/api${pattern.startsWith('/') ? '' : '/'}${pattern}`);
  return whole.endsWith('/*') ? { path: whole.slice(0, -2), below: true } : { path: whole, below: false };
}

function fits({ path, below }: Pattern, candidate: string): boolean {
  if (candidate === path) return true;
  return below && candidate.startsWith(path) && candidate.charCodeAt(path.length) === SLASH;
}

const SLASH = 0x2f;
