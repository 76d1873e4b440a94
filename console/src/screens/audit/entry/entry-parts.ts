import { type components } from '../../../../../src/api-client/openapi.js';
import { wordsOfOption } from '../../../../../src/device-api/words/dictionary.js';
import { sectionNoun, serviceName, shortTitle } from '../../observed/path-words.js';
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

/** What only machines need: sizes, fingerprints, ids, the status and the time of an answer. */
const OF_MACHINES: ReadonlySet<string> = new Set(['body', 'bulkItem', 'requested', 'answer', 'deviceStatus', 'digest']);

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isOfMachines = (name: string, value: unknown): boolean =>
  OF_MACHINES.has(name) || (typeof value === 'string' && ID.test(value));

/** The facts of a call or its answer, those for people and those for machines. */
export function partedFacts(facts: Facts): { readonly people: Facts; readonly machines: Facts } {
  const [people, machines] = [false, true].map((wanted) =>
    Object.fromEntries(Object.entries(facts).filter(([name, value]) => isOfMachines(name, value) === wanted)),
  );
  return { people: people!, machines: machines! };
}

export interface AskedLine {
  /** Such as `Interface lan: IP address`. */
  readonly name: string;
  readonly value: string;
  /** What the device calls it. */
  readonly hint: string;
}

const CONFIGURATION = /^(?:PUT|POST) (\/api\/\S+?\/(?:config|global))(?:\/([^/\s]+))?$/;

/** What a write to a device set, option by option, in words. @param subject such as `PUT /api/ntp/client/config/1` */
export function askedOf(subject: string, requested: unknown): readonly AskedLine[] {
  const [, path, section] = CONFIGURATION.exec(subject) ?? [];
  if (path === undefined || !isFacts(requested)) return [];
  const service = serviceName(path);
  const data = requested['data'] ?? requested;
  return [data].flat().flatMap((one: unknown) => {
    if (!isFacts(one)) return [];
    const id = Array.isArray(data) ? one['id'] : section;
    return Object.entries(one)
      .filter(([option]) => isOption(option))
      .map(([option, value]) => ({
        name: `${placeOf(service, path, id)}: ${wordsOfOption(service, option).title}`,
        value: valueWords(service, option, value),
        hint: `${path} ${option}`,
      }));
  });
}

/** `Interface lan`; without a section `Clock`. */
const placeOf = (service: string, path: string, id: unknown): string =>
  (typeof id === 'string' && sectionNoun(service, id)) || shortTitle(path);

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
