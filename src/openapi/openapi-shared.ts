import { createHash } from 'node:crypto';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type Media, type OpenApiAnswer, type Operation, type Parameter } from './openapi-contents.js';
import { type Json } from './openapi-schemas.js';

/*
 * Equal parts of the document are written once, below `components`, and the operations refer to them. Without it, half of the
 * document is answers about errors: 1,951 of them, of which 163 differ.
 */

/** Where a part of the document is. */
interface Place {
  /** The name of the part, if no other part of its kind has the same one. */
  readonly name: string;
  readonly part: unknown;
  replace(reference: { $ref: string }): void;
}

/** Puts what is equal in several places below `components`: answers, parameters, headers and examples. Changes the document. */
export function shareParts(document: OpenAPIObject): void {
  const components = document.components as Record<string, Record<string, unknown>>;
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  for (const parameter of operations.flatMap((one) => one.parameters ?? [])) describeOnce(parameter);
  const share = (kind: string, places: readonly Place[]) => {
    components[kind] = { ...components[kind], ...shared(kind, places, Object.keys(components[kind] ?? {})) };
  };
  share(
    'responses',
    operations.flatMap(({ responses = {} }) => placesIn(responses, answerName)),
  );
  share(
    'parameters',
    operations.flatMap(({ parameters = [] }) => placesIn(parameters, (_at, { name }) => name)),
  );
  const { responses, parameters } = components as {
    responses: Record<string, OpenApiAnswer>;
    parameters: Record<string, Parameter>;
  };
  const answers = [...Object.values(responses), ...operations.flatMap((one) => Object.values(one.responses ?? {}))];
  share(
    'headers',
    answers.flatMap(({ headers = {} }) => placesIn(headers)),
  );
  const bodies = operations.flatMap(({ requestBody }) => (requestBody ? [requestBody] : []));
  const contents = [...bodies, ...answers].flatMap(({ content = {} }) => Object.values(content));
  const given = [...Object.values(parameters), ...operations.flatMap((one) => one.parameters ?? [])] as Media[];
  share('examples', [...contents, ...given].flatMap(examplesIn));
}

/** The schema of a parameter has its text again. */
function describeOnce(parameter: Parameter): void {
  const { description, schema } = parameter as { description?: string; schema?: { description?: string } };
  if (!schema || schema.description !== description) return;
  const { description: _again, ...rest } = schema;
  Object.assign(parameter, { schema: rest });
}

/** The parts of an object or a list that are not references. */
function placesIn<T extends object>(
  holder: Record<string, T> | T[],
  nameOf = (key: string, _part: T): string => key,
): Place[] {
  return Object.entries(holder)
    .filter(([, part]) => !('$ref' in part))
    .map(([key, part]) => ({
      name: nameOf(key, part),
      part,
      replace: (reference) => void ((holder as Record<string, object>)[key] = reference),
    }));
}

/** The code of an answer about one error, else the status. */
function answerName(status: string, { content }: OpenApiAnswer): string {
  const codes = Object.keys(content?.['application/problem+json']?.examples ?? {});
  return codes.length === 1 ? codes[0]! : status;
}

/** A single `example` cannot be a reference; in a list of `examples` it can. */
function examplesIn(media: Media): Place[] {
  if (media.examples) return placesIn(media.examples);
  if (media.example === undefined) return [];
  const { $ref, contentSchema } = (media.schema ?? {}) as { $ref?: string; contentSchema?: { $ref?: string } };
  const name = ($ref ?? contentSchema?.$ref)?.split('/').at(-1) ?? 'example';
  const replace = (reference: object) => {
    delete media.example;
    media.examples = { example: reference };
  };
  return [{ name, part: { value: media.example }, replace }];
}

/**
 * The parts that are in several places, which refer to them from now on.
 * @param taken names of other parts of the kind
 * @returns the parts by their names, in alphabetical order
 */
function shared(kind: string, places: readonly Place[], taken: readonly string[]): Json {
  const equal = new Map<string, Place[]>();
  for (const place of places) {
    const text = JSON.stringify(place.part);
    equal.set(text, [...(equal.get(text) ?? []), place]);
  }
  const repeated = [...equal].filter(([, same]) => same.length > 1);
  const names = [...taken, ...repeated.map(([, [first]]) => first!.name)];
  const found = repeated.map(([text, same]) => {
    const { name, part } = same[0]!;
    // A digest, not a number: a further part does not rename the others.
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    const key = isAlone ? name : `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 6)}`;
    for (const place of same) place.replace({ $ref: `#/components/${kind}/${key}` });
    return [key, part] as const;
  });
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
}
