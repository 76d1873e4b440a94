import openapiTS, { astToString } from 'openapi-typescript';

/*
 * `src/api-client/openapi.ts`: the types of the OpenAPI document, and what the client must know of it at run time.
 */

interface MediaSchema {
  readonly schema?: { readonly contentSchema?: { readonly $ref?: string } };
}

interface ApiOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaSchema>> }>>;
}

/** As much of an OpenAPI document as is read here. */
export interface ApiDocument {
  readonly paths: object;
}

/** The operations of a document, by names such as `GET /v1/devices`. */
function operationsOf({ paths }: ApiDocument): readonly (readonly [name: string, operation: ApiOperation])[] {
  return Object.entries(paths as Record<string, Record<string, ApiOperation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
}

/** @returns the text of the file */
export async function clientTypes(document: ApiDocument): Promise<string> {
  const types = astToString(await openapiTS(JSON.stringify(withoutErrors(document)), { defaultNonNullable: false }));
  const operations = operationsOf(document);
  const lines = operations.flatMap(([name, operation]) => {
    const line = lineOf(name, operation);
    return line === null ? [] : [`  ${JSON.stringify(name)}: components["schemas"][${JSON.stringify(line)}];`];
  });
  const keyed = operations.filter(([, { parameters }]) => parameters?.some(({ name }) => name === 'Idempotency-Key'));
  return [
    '/* Made from the OpenAPI document by `npm run docs`. Do not edit it. */',
    types,
    '/** One line or event of the answers that are streams, by operation. */',
    `export interface StreamLines {\n${lines.join('\n')}\n}`,
    '/** The operations that take an Idempotency-Key. */',
    `export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([\n${keyed.map(([name]) => `  ${JSON.stringify(name)},`).join('\n')}\n]);\n`,
  ].join('\n');
}

/** Errors are the same for all operations, and most of the document: the client throws them as `ApiError`. */
function withoutErrors(document: ApiDocument): object {
  const paths = Object.entries(document.paths as Record<string, Record<string, ApiOperation>>).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      return [method, { ...operation, responses: Object.fromEntries(answers) }] as const;
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/**
 * The name of the schema of a stream's lines; null when the operation answers no stream.
 * @throws Error for a schema without a name, which a client could not refer to
 */
function lineOf(name: string, { responses }: ApiOperation): string | null {
  for (const [status, { content }] of Object.entries(responses)) {
    for (const { schema } of Object.values(content ?? {})) {
      if (!status.startsWith('2') || !schema?.contentSchema) continue;
      const line = /^#\/components\/schemas\/(.+)$/.exec(schema.contentSchema.$ref ?? '')?.[1];
      if (line === undefined) throw new Error(`The lines of ${name} need a schema with a name: give it .meta({ id })`);
      return line;
    }
  }
  return null;
}
