/* The fields of an answer in the OpenAPI document, as columns of a table name them. */

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  /** Of each event of a stream. */
  readonly contentSchema?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

/** As much of the OpenAPI document as is read here. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Objects in objects that a column may name, such as `trust.mode`. */
const DEPTH_MAX = 3;

/** @returns the dotted names of the fields of a row: an item of a list, or the object itself */
export function fieldsOfAnswer(operationId: string, document: Document): Set<string> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as DescribedOperation[]);
  const { responses } = operations.find((one) => one.operationId === operationId)!;
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  const found = new Set<string>();
  for (const { schema } of Object.values(answer.content ?? {})) {
    for (const form of formsOf(schema, document)) {
      const row = form.items ?? form.properties?.['items'];
      collect(row?.items ?? row ?? form, '', found, document);
    }
  }
  return found;
}

function collect(schema: Schema, before: string, found: Set<string>, document: Document): void {
  for (const form of formsOf(schema, document)) {
    for (const [name, inner] of Object.entries(form.properties ?? {})) {
      found.add(before + name);
      if (before.split('.').length <= DEPTH_MAX) collect(inner, `${before}${name}.`, found, document);
    }
  }
}

/** A schema without references, and each of its forms. */
function formsOf(schema: Schema, document: Document): Schema[] {
  if (schema.$ref) return formsOf(document.components.schemas[schema.$ref.split('/').at(-1)!]!, document);
  const forms = schema.contentSchema ? [schema.contentSchema] : (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []);
  return [schema, ...forms.flatMap((form) => formsOf(form, document))];
}
