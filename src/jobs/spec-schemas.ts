import { JOB_KINDS } from './kinds/index.js';

/* The specs of jobs in the OpenAPI document: a union by kind. Requests are read kind by kind, with the kind's own schema. */

/** Under which name the document has the spec of a kind. */
export const specNameOf = (kind: string): string => `${kind[0]!.toUpperCase()}${kind.slice(1)}JobSpec`;

/** What goes beside the fields of an object with `kind` and `spec`, as its `meta`. */
export function specsByKind(io: 'input' | 'output') {
  return {
    oneOf: [...JOB_KINDS].map(([name, kind]) => ({
      type: 'object',
      properties: { kind: { const: name }, spec: { $ref: `#/components/schemas/${specNameOf(name)}` } },
      required: io === 'input' && kind.spec.safeParse({}).success ? ['kind'] : ['kind', 'spec'],
    })),
  };
}
