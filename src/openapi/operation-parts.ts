/* The parts of the OpenAPI document that its pages show, with their references followed. Pure. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface DocumentedAnswer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface DocumentedOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> };
  readonly responses?: Readonly<Record<string, DocumentedAnswer>>;
  readonly 'x-permission'?: string;
  readonly 'x-audit-action'?: string;
}

export interface Document {
  readonly info?: { readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components?: unknown;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** More references than any part has behind each other. */
const REFERENCES_MAX = 10;

export class OperationParts {
  constructor(private readonly document: Document) {}

  all(): { readonly method: string; readonly path: string; readonly operation: DocumentedOperation }[] {
    return Object.entries(this.document.paths ?? {}).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method]).map((method) => ({
        method: method.toUpperCase(),
        path,
        operation: methods[method]!,
      })),
    );
  }

  readonly schema = (schema: Schema): Schema => this.follow(schema);
  readonly parameter = (parameter: Parameter): Parameter => this.follow(parameter);
  readonly answer = (answer: DocumentedAnswer): DocumentedAnswer => this.follow(answer);

  /** The first example of a content, as text. */
  example(content: Readonly<Record<string, Content>> | undefined): string | null {
    const { example, examples } = Object.values(content ?? {})[0] ?? {};
    const [first] = Object.values(examples ?? {});
    const value = example ?? (first && this.follow(first).value);
    if (value === undefined) return null;
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  }

  /** The type in words, such as `list of Device`. */
  typeOf(schema: Schema): string {
    const { $ref } = schema;
    const whole = this.schema(schema);
    if (whole.const !== undefined) return JSON.stringify(whole.const);
    if (whole.enum) return whole.enum.map(String).join(' | ');
    const choices = whole.oneOf ?? whole.anyOf;
    if (choices && choices.length <= 3) return choices.map((one) => this.typeOf(one)).join(' or ');
    if (whole.items) return `list of ${this.typeOf(whole.items)}`;
    if ($ref) return $ref.slice($ref.lastIndexOf('/') + 1);
    const types = [whole.type ?? 'any value'].flat().join(' or ');
    return whole.format ? `${types} (${whole.format})` : types;
  }

  private follow<Part extends { readonly $ref?: string }>(part: Part): Part {
    let found = part;
    for (let left = REFERENCES_MAX; found.$ref !== undefined && left > 0; left--) {
      const names = found.$ref.replace('#/', '').split('/');
      found = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], this.document) as Part;
    }
    return found;
  }
}
