import { type components } from '../../../../../src/api-client/openapi.js';
import { rhythmText } from '../../schedules/rhythm.js';

/* The facts of an entry by what they are: each kind has words of its own. Pure. */

type Facts = Readonly<Record<string, unknown>>;

interface EntryFacts {
  /** The job that it started or planned. */
  readonly job: { readonly kind: string; readonly spec: unknown } | null;
  /** How a rollout goes on. */
  readonly policy: Partial<components['schemas']['RolloutPolicy']> | null;
  /** What is left, each as a name and a value. */
  readonly facts: Facts;
}

/** @param given the facts without what changed; a schedule has its rollout in `template` */
export function partsOf({ template, ...given }: Facts): EntryFacts {
  const all: Facts = isFacts(template) ? { ...template, ...given } : { ...given, template };
  const { kind, spec, policy, rhythm, from, to, ...others } = all;
  const hasJob = typeof kind === 'string' && spec !== undefined;
  const hasPolicy = isFacts(policy);
  const facts = {
    ...(typeof from === 'string' && typeof to === 'string'
      ? { state: `${from} → ${to}`.replaceAll('_', ' ') }
      : { from, to }),
    ...others,
    rhythm: isFacts(rhythm) ? rhythmText(rhythm as Parameters<typeof rhythmText>[0]) : rhythm,
    ...(hasJob ? {} : { kind, spec }),
    ...(hasPolicy ? {} : { policy }),
  };
  return {
    job: hasJob ? { kind, spec } : null,
    policy: hasPolicy ? policy : null,
    facts: Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null)),
  };
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
