import { useState } from 'react';
import { RefusedByDevice, type Refusal } from '../device-api/device-call.js';
import { problemOf } from './option-problem.js';
import { type FormOption, type Typed } from './section-values.js';

type Problems = Readonly<Record<string, string>>;

interface SectionProblems {
  /** At the fields: what is wrong as typed, and what the device refused, until that field is typed again. */
  readonly atFields: Problems;
  /** Whether something typed is wrong, so that it is not sent. */
  readonly isWrong: boolean;
  /** What no field shows. */
  readonly error: unknown;
  /** Tells what was sent, so that its refusal is shown beside the same values only. */
  readonly sent: () => void;
}

/** What is wrong with a section. @param error of the last time that it was sent @param names further fields, such as `id` */
export function useProblems(
  options: readonly FormOption[],
  typed: Typed,
  error: unknown,
  names: readonly string[] = [],
): SectionProblems {
  const [sentTyped, setSent] = useState<Typed>({});
  const fields = new Set([...options.map(({ name }) => name), ...names]);
  const own = options.flatMap((option) => {
    const text = typed[option.name];
    const problem = text === undefined || text === option.text ? null : problemOf(option, text);
    return problem ? [[option.name, problem] as const] : [];
  });
  const refusals = error instanceof RefusedByDevice ? error.refusals : [];
  const placed = refusals.filter(({ source }) => source !== null && fields.has(source));
  const refused = placed
    .filter(({ source }) => typed[source!] === sentTyped[source!])
    .map((refusal) => [refusal.source!, sentenceOf(refusal)] as const);
  return {
    atFields: { ...Object.fromEntries(refused), ...Object.fromEntries(own) },
    isWrong: own.length > 0,
    error: refusals.length > 0 && placed.length === refusals.length ? null : error,
    sent: () => setSent(typed),
  };
}

const sentenceOf = ({ error, code }: Refusal): string =>
  `The device refused this${error ? `: ${error}` : ''}${code === null ? '' : ` (code ${code})`}.`;
