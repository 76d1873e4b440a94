import { type OidcProvider } from './oidc-providers.js';

/* What a provider's document and claims mean: what to ask for, and the groups of a person. Pure. */

type Claims = Readonly<Record<string, unknown>>;

/** OpenID Connect Core 1.0, section 5.4, defines the first three; `groups` is common, and unknown to many providers. */
const STANDARD_SCOPES = ['openid', 'profile', 'email'];
const USUAL_SCOPES = [...STANDARD_SCOPES, 'groups'];

/**
 * The scope of a sign-in: as configured, or those of the usual ones that the provider lists. Some providers refuse a
 * sign-in with a scope that they do not know.
 * @param supported `scopes_supported` of the provider's document
 */
export function scopeFor({ scope }: Pick<OidcProvider, 'scope'>, supported: readonly string[] | undefined): string {
  if (scope !== undefined) return scope;
  if (supported === undefined) return STANDARD_SCOPES.join(' ');
  return USUAL_SCOPES.filter((one) => one === 'openid' || supported.includes(one)).join(' ');
}

/**
 * Whether the client secret goes into the body of a token request, and not into its header: as configured, or when the
 * provider's document has no other way.
 * @param supported `token_endpoint_auth_methods_supported`; absent means the header (OpenID Connect Discovery 1.0)
 */
export function sendsSecretInBody(
  { clientAuthentication }: Pick<OidcProvider, 'clientAuthentication'>,
  supported: readonly string[] | undefined,
): boolean {
  if (clientAuthentication !== undefined) return clientAuthentication === 'client_secret_post';
  return (
    supported !== undefined && !supported.includes('client_secret_basic') && supported.includes('client_secret_post')
  );
}

/**
 * A claim by its name, or by names joined by dots (`realm_access.roles`). A name may contain dots itself, such as
 * `https://example.com/groups`.
 * @returns undefined when there is none
 */
export function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(claims, name) ? claimAt((claims as Claims)[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts of a claim: a list, or one text. Any other value gives none. */
export function textsOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string') : [];
}

export interface Groups {
  /** `link`: the provider sent an address to ask for the groups instead of them. */
  readonly found: 'groups' | 'link' | 'nothing';
  readonly groups: readonly string[];
}

/**
 * The groups of a person.
 * @param sources the claims of the ID token, then those of the user info
 * @param path of the claim, as `claimAt` reads it
 */
export function groupsIn(sources: readonly Claims[], path: string): Groups {
  for (const claims of sources) {
    const claim = claimAt(claims, path);
    if (claim !== undefined) return { found: 'groups', groups: textsOf(claim) };
  }
  return { found: sources.some((claims) => linksGroups(claims, path)) ? 'link' : 'nothing', groups: [] };
}

/** Distributed claims (OpenID Connect Core 1.0, section 5.6.2), which Entra sends from 200 groups on; or its `hasgroups`. */
function linksGroups(claims: Claims, path: string): boolean {
  const { hasgroups, _claim_names: names } = claims;
  if (hasgroups === true || hasgroups === 'true') return true;
  if (typeof names !== 'object' || names === null) return false;
  return Object.hasOwn(names, path) || Object.hasOwn(names, path.split('.', 1)[0]!);
}

/** The roles of groups, each once. */
export function rolesOf(groups: readonly string[], { roles }: Pick<OidcProvider, 'roles'>): string[] {
  return [...new Set(groups.flatMap((group) => (Object.hasOwn(roles, group) ? roles[group]! : [])))].sort();
}
