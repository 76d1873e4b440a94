import { isBlankChange } from './changes/chosen-changes.js';
import { isPlaced } from './field-errors.js';
import { fieldsOf, type JobKind } from './job-fields.js';
import { firstProblem, isSpec, type Spec, withoutHidden } from './fields.js';

/* A job while it is filled in: its kind, its parameters, and the text of a person who types them as JSON. */

export interface JobDraft {
  readonly kind: JobKind;
  /** What was filled in for each kind, so that a look at another kind loses nothing. */
  readonly specs: Readonly<Partial<Record<JobKind, Spec>>>;
  /** The parameters as they are typed; null: they are edited in fields. */
  readonly json: string | null;
}

const FIRST: Readonly<Partial<Record<JobKind, Spec>>> = {
  call: { method: 'GET' },
  certificates: { type: 'simple' },
  firmware: { source: 'vendor' },
  configure: { changes: [{ action: 'update', path: '', data: {} }] },
  users: { accounts: [{}] },
};

export const newJob = (kind: JobKind, spec?: Spec): JobDraft => ({
  kind,
  specs: spec ? { [kind]: spec } : {},
  json: null,
});

export const specIn = ({ kind, specs }: JobDraft): Spec => specs[kind] ?? FIRST[kind] ?? {};

export const withSpec = (draft: JobDraft, spec: Spec): JobDraft => ({
  ...draft,
  specs: { ...draft.specs, [draft.kind]: spec },
});

export const withKind = (draft: JobDraft, kind: JobKind): JobDraft => ({ ...draft, kind, json: null });

/** What the fields hold, without what they do not show; typed JSON as it is. */
const toSend = (draft: JobDraft): Spec =>
  draft.json === null ? withoutHidden(fieldsOf(draft.kind), specIn(draft)) : specIn(draft);

export const asJson = (draft: JobDraft): JobDraft => ({ ...draft, json: JSON.stringify(toSend(draft), null, 2) });

/** Back to the fields, where the text can be read. */
export const asFields = (draft: JobDraft): JobDraft => ({ ...draft, json: null });

/** Takes typed JSON; the parameters change as soon as it can be read. */
export function withJson(draft: JobDraft, json: string): JobDraft {
  const spec = specOfText(json);
  return { ...(spec === null ? draft : withSpec(draft, spec)), json };
}

/** The parameters of a text; null: it is no object. */
function specOfText(text: string): Spec | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isSpec(value) ? value : null;
  } catch {
    return null;
  }
}

/** What is wrong with the typed JSON; null: nothing, or the fields are open. */
export const wrongJson = ({ json }: JobDraft): string | null =>
  json !== null && specOfText(json) === null ? 'This is not a JSON object.' : null;

/** The parameters to send, or what has to be filled in first. */
export function readJob(draft: JobDraft): { spec: Spec; problem: null } | { spec: null; problem: string } {
  const wrong = wrongJson(draft);
  if (wrong !== null) return { spec: null, problem: `The parameters: ${wrong}` };
  const spec = toSend(draft);
  const problem =
    (draft.json === null ? firstProblem(fieldsOf(draft.kind), spec) : null) ?? ownProblem(draft.kind, spec);
  return problem === null ? { spec, problem } : { spec: null, problem };
}

/** The backup that a restore is filled in with; null: none yet, or it is another kind. */
export function restoredBy(draft: JobDraft): string | null {
  const { artifactId } = specIn(draft);
  return draft.kind === 'restore' && draft.json === null && typeof artifactId === 'string' ? artifactId : null;
}

/** `a user name`, of a problem that something is not filled in; null: it is another one. */
export function gapOf(problem: string | null): string | null {
  const chosen = /^(?:Choose|Add) (.+)\.$/u.exec(problem ?? '')?.[1];
  if (chosen !== undefined) return chosen;
  const label = /([^,]+): still missing\.$/u.exec(problem ?? '')?.[1]?.trim();
  if (label === undefined) return null;
  const words = label.charAt(0).toLowerCase() + label.slice(1);
  if (words.endsWith('s')) return words;
  return `${/^[aeio]/u.test(words) ? 'an' : 'a'} ${words}`;
}

/** What no single field shows. */
function ownProblem(kind: JobKind, spec: Spec): string | null {
  if (kind === 'firmware' && spec['source'] !== 'vendor' && spec['artifactId'] === undefined)
    return 'Choose the firmware.';
  if (kind === 'users' && !isFilled(spec['accounts']) && !isFilled(spec['groups'])) return 'Add an account or a group.';
  if (kind !== 'configure' || !Array.isArray(spec['changes'])) return null;
  for (const [at, change] of (spec['changes'] as Spec[]).entries()) {
    if (spec['changes'].length === 1 && isBlankChange(change)) return 'Choose the settings to change.';
    if (!change['path']) return `Change ${at + 1}: name the section.`;
    const secrets = Array.isArray(change['sealed']) ? (change['sealed'] as Spec[]) : [];
    if (secrets.some(({ option, valueId }) => !option || typeof valueId !== 'string'))
      return `Change ${at + 1}: name each secret option, and seal its value.`;
    const isEmpty = !isFilled(Object.keys((change['data'] as Spec | undefined) ?? {})) && !isFilled(change['sealed']);
    if (change['action'] === 'update' && isEmpty) return `Change ${at + 1}: name an option and its new value.`;
  }
  return null;
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/** Whether a field of the form shows what the gateway refused. */
export const isShownAtField =
  ({ kind, json }: JobDraft) =>
  (pointer: string): boolean =>
    json === null && isPlaced(fieldsOf(kind), pointer);
