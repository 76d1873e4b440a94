import { infoOf } from './permissions.js';
import { type Question, type Rights, type RuleRef } from './rights.js';

/* Explains in words why a question is allowed or denied. Pure. */

export interface Explanation {
  readonly allowed: boolean;
  readonly permission: string;
  readonly because: string;
  readonly rules: readonly RuleRef[];
}

export function explain(rights: Rights, question: Question): Explanation {
  const { allowed, by, refusedIn } = rights.judge(question);
  return { allowed, permission: question.action, because: because(), rules: by };

  function because(): string {
    const asked = `\`${question.action}\`${about(question)}`;
    if (infoOf(question.action).about === 'self') return `Every operator holds ${asked}.`;
    if (allowed) return `${asked} is allowed by ${by.map(nameOf).join(', and ')}.`;
    const [deny] = by;
    if (deny) return `${asked} is denied by ${nameOf(deny)}; a rule that denies has priority over all that allow.`;
    const where = refusedIn === 'key' ? 'the scope of the key' : 'the roles of the operator';
    return `${asked} is not allowed: nothing in ${where} allows it.`;
  }
}

function about({ device, path }: Question): string {
  return `${device ? ` on device ${device.id}` : ''}${path === undefined ? '' : ` at ${path}`}`;
}

function nameOf({ layer, role, rule, selectors, paths }: RuleRef): string {
  const of = layer === 'key' ? 'the scope of the key' : `rule ${rule} of the role ${role}`;
  const narrowed = selectors.length === 0 ? '' : ` (devices: ${selectors.join(' and ')})`;
  return `${of}${narrowed}${paths === null ? '' : ` (paths: ${Object.keys(paths.api).join(', ')})`}`;
}
