import { infoOf } from './permissions.js';
import { type AccessRequest, type Rights, type RuleRef } from './rights.js';

const ABOUT_GATEWAY =
  ' It is about the gateway itself: a role or rule that is narrowed to some devices does not give it.';

/** Explains in words why a request is allowed or denied. Pure. */
export function explain(rights: Rights, request: AccessRequest) {
  const { allowed, by: deciding, refusedIn } = rights.judge(request);
  const partial = allowed ? rights.partial(request) : null;
  const by = partial ?? deciding;
  return { allowed, inPart: partial !== null, permission: request.action, because: because(), rules: by };

  function because(): string {
    const asked = `\`${request.action}\`${about(request)}`;
    if (infoOf(request.action).about === 'self') return `Every operator holds ${asked}.`;
    if (allowed) return `${asked} is allowed by ${by.map(nameOf).join(', and ')}.`;
    const [deny] = by;
    if (deny) return `${asked} is denied by ${nameOf(deny)}; a rule that denies has priority over all that allow.`;
    const where = refusedIn === 'key' ? 'the scope of the key' : 'the roles of the operator';
    const bound = infoOf(request.action).about === 'gateway' ? ABOUT_GATEWAY : '';
    return `${asked} is not allowed: nothing in ${where} allows it.${bound}`;
  }
}

function about({ device, path }: AccessRequest): string {
  return `${device ? ` on device ${device.name ?? device.id}` : ''}${path === undefined ? '' : ` at ${path}`}`;
}

function nameOf({ layer, role, rule, selectors, paths }: RuleRef): string {
  const of = layer === 'key' ? 'the scope of the key' : `rule ${rule} of the role ${role}`;
  const narrowed = selectors.length === 0 ? '' : ` (devices: ${selectors.join(' and ')})`;
  return `${of}${narrowed}${paths === null ? '' : ` (paths: ${Object.keys(paths.api).join(', ')})`}`;
}
