import { type components } from '../../../../../src/api-client/openapi.js';
import { wordsOfOption } from '../../../../../src/device-api/words/dictionary.js';
import { sectionNoun, serviceName } from '../../observed/path-words.js';
import { isOption, valueWords } from '../../observed/value-words.js';
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

/** What only machines need of a call: its sizes, its fingerprint, the status and the time of its answer. */
const OF_MACHINES: ReadonlySet<string> = new Set(['body', 'bulkItem', 'requested', 'answer', 'deviceStatus']);

/** The facts of a call or its answer, those for people and those for machines. */
export function partedFacts(facts: Facts): { readonly people: Facts; readonly machines: Facts } {
  const [people, machines] = [false, true].map((isOfMachines) =>
    Object.fromEntries(Object.entries(facts).filter(([name]) => OF_MACHINES.has(name) === isOfMachines)),
  );
  return { people: people!, machines: machines! };
}

export interface AskedLine {
  readonly name: string;
  readonly value: string;
}

const CONFIGURATION = /^(?:PUT|POST) (\/api\/\S+?\/(?:config|global))(?:\/([^/\s]+))?$/;

/** What a write to a device set, option by option, in words. @param subject such as `PUT /api/ntp/client/config/1` */
export function askedOf(subject: string, requested: unknown): readonly AskedLine[] {
  const [, path, section] = CONFIGURATION.exec(subject) ?? [];
  if (path === undefined || !isFacts(requested)) return [];
  const service = serviceName(path.replace(/\/global$/, '/config'));
  const data = requested['data'] ?? requested;
  return [data].flat().flatMap((one: unknown) => {
    if (!isFacts(one)) return [];
    const id = Array.isArray(data) ? one['id'] : section;
    return Object.entries(one)
      .filter(([option]) => isOption(option))
      .map(([option, value]) => ({
        name: [typeof id === 'string' ? sectionNoun(service, id) : '', wordsOfOption(service, option).title]
          .filter(Boolean)
          .join(' › '),
        value: valueWords(service, option, value),
      }));
  });
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
