import openapiTS, { astToString } from 'openapi-typescript';
import { inlined, operationsOf } from './inlined.mjs';

/* The types of the client, and what it must know of the document at run time. */

/**
 * @param {object} document the OpenAPI document
 * @returns {Promise<string>} the text of `src/api-client/openapi.ts`
 * @throws Error where the lines of a stream have no schema with a name
 */
export async function clientTypes(document) {
  const complete = inlined(document);
  const types = astToString(await openapiTS(JSON.stringify(withoutErrors(complete)), { defaultNonNullable: false }));
  const operations = operationsOf(complete);
  const lines = operations.flatMap(([name, operation]) => {
    const line = lineOf(name, operation);
    return line === null ? [] : [`  ${JSON.stringify(name)}: components["schemas"][${JSON.stringify(line)}];`];
  });
  const keyed = operations
    .filter(([, { parameters }]) => parameters?.some(({ name }) => name === 'Idempotency-Key'))
    .map(([name]) => `  ${JSON.stringify(name)},`);
  return [
    '/* Made from the OpenAPI document by `npm run generate`. */',
    types,
    '/** One line or event of the answers that are streams, by operation. */',
    `export interface StreamLines {\n${lines.join('\n')}\n}`,
    '/** The operations that take an Idempotency-Key. */',
    `export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([\n${keyed.join('\n')}\n]);\n`,
  ].join('\n');
}

/** Errors are the same for all operations, and most of the document: the client throws them as `ApiError`. */
function withoutErrors(document) {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      return [method, { ...operation, responses: Object.fromEntries(answers) }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths), components: { schemas: document.components.schemas } };
}

/** The name of the schema of a stream's lines; null when the operation answers no stream. */
function lineOf(name, { responses }) {
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
