import { issueText } from '../../http/issue-words.js';
import { AppError } from '../../platform/errors.js';
import { type JobKind } from '../kind-api/kind.js';
import { type JobKinds } from '../kinds/index.js';

export const KINDS = Symbol('job kinds');

/** @param pointer where the request names it @throws AppError `invalid_input` for an unknown kind */
export function kindNamed(kinds: JobKinds, name: string, pointer = '/body/kind'): JobKind {
  const kind = kinds.get(name);
  if (kind) return kind;
  const detail = `there is no such kind of job; the kinds are: ${[...kinds.keys()].join(', ')}`;
  throw new AppError('invalid_input', { errors: [{ pointer, detail }] });
}

/** The spec of a request as its kind reads it. @throws AppError `invalid_input` with a pointer to each problem */
export function readSpec(kind: JobKind, spec: unknown): unknown {
  const parsed = kind.spec.safeParse(spec, { error: issueText });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: ['/body/spec', ...path.map(String)].join('/'),
    detail: message,
  }));
  throw new AppError('invalid_input', { errors });
}
