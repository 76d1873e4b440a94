import { type AclAction, unversioned } from '../../device-api/contract.js';

/*
 * Access lists in the device's own grammar (specification, Access control list): patterns of paths, each with the
 * actions `read` and `write`. `/system/*` covers `/system` and all below it, `*` and `/*` cover everything, any other
 * pattern is one path. `/api` is optional, and version prefixes make no difference. Pure.
 */

/** Such as `{"api":{"/wireguard/*":["read","write"]}}`. */
export interface DeviceAcl {
  readonly api: Readonly<Record<string, readonly AclAction[]>>;
}

interface Pattern {
  readonly path: string;
  readonly below: boolean;
}

export class PathRules {
  private readonly patterns: Readonly<Record<AclAction, readonly Pattern[]>>;

  /** @param anyCase whether letter case is ignored: for denials, so that another spelling does not avoid them */
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
    return this.patterns[action].some((pattern) => isInPattern(pattern, path));
  }

  /** Whether any path allows the action. */
  hasAny(action: AclAction): boolean {
    return this.patterns[action].length > 0;
  }

  /** Whether every path is covered. */
  hasAll(action: AclAction): boolean {
    return this.patterns[action].some(({ path, below }) => below && path === '/api');
  }

  /** Whether this list covers all that another one covers; `false` when comparing pattern by pattern cannot tell. */
  includes(other: PathRules, action: AclAction): boolean {
    return other.patterns[action].every((theirs) =>
      this.patterns[action].some((ours) =>
        theirs.below ? ours.below && isInPattern(ours, theirs.path) : isInPattern(ours, theirs.path),
      ),
    );
  }
}

function readPattern(pattern: string): Pattern {
  if (pattern === '*' || pattern === '/*') return { path: '/api', below: true };
  const hasRoot = pattern.startsWith('/api/') || pattern === '/api';
  const full = unversioned(hasRoot ? pattern : `/api${pattern.startsWith('/') ? '' : '/'}${pattern}`);
  return full.endsWith('/*') ? { path: full.slice(0, -2), below: true } : { path: full, below: false };
}

function isInPattern({ path, below }: Pattern, candidate: string): boolean {
  if (candidate === path) return true;
  return below && candidate.startsWith(path) && candidate.charCodeAt(path.length) === SLASH;
}

const SLASH = 0x2f;
