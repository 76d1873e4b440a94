import { escaped, htmlPage, type SideGroup } from './html-page.js';
import {
  type DocumentedAnswer,
  type Document,
  type DocumentedOperation,
  OperationParts,
  type Schema,
} from './operation-parts.js';
import { slugOf, toHtml } from './markdown.js';

/* The pages of the API: all operations in their groups, and a page for each. Made from the OpenAPI document. Pure. */

/** Properties of properties are shown to this depth; the document has the rest. */
const DEPTH_MAX = 4;

/** All operations, in the groups of the document. */
export function operationsPage(document: Document, prefix: string): string {
  const operations = new OperationParts(document).all();
  const groups = (document.tags ?? []).map(({ name, description = '' }) => {
    const rows = operations.filter(({ operation }) => operation.tags?.includes(name)).map((one) => rowOf(one, prefix));
    return `<section><h2 id="${anchorOf(name)}">${escaped(name)}</h2><p class="quiet">${escaped(description)}</p><ul class="operations">${rows.join('')}</ul></section>`;
  });
  const html = `<h1>API</h1>${text(document.info?.description ?? '', prefix)}
<p><a href="${prefix}/openapi.json">The OpenAPI document</a></p>
<input type="search" aria-label="Search operations" placeholder="Search ${operations.length} operations: a path, a word">
${groups.join('\n')}`;
  return htmlPage({ prefix, title: 'API', html, current: 'api', side: sideOf(document, prefix) });
}

/** Of a group, in letters that an address does not encode: `Façade` is `facade`. */
const anchorOf = (name: string): string => slugOf(name.normalize('NFD').replaceAll(/\p{M}/gu, ''));

interface Named {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

function rowOf({ method, path, operation }: Named, prefix: string): string {
  const { operationId = '', summary = '' } = operation;
  const words = escaped(`${method} ${path} ${summary}`.toLowerCase());
  return `<li data-words="${words}"><a href="${prefix}/docs/operations/${operationId}">${methodOf(method)}<code>${escaped(path)}</code><span>${marked(summary)}</span></a></li>`;
}

const methodOf = (method: string): string => `<span class="method" data-method="${method}">${method}</span>`;

/** One operation: what it does, what it takes, what it answers. Null: there is none with this id. */
export function operationPage(document: Document, operationId: string, prefix: string): string | null {
  const parts = new OperationParts(document);
  const found = parts.all().find(({ operation }) => operation.operationId === operationId);
  if (!found) return null;
  const { method, path, operation } = found;
  const view = new SchemaView(parts);
  const html = `<p><a href="${prefix}/docs">All operations</a></p>
<h1>${marked(operation.summary ?? operationId)}</h1>
<p>${methodOf(method)} <code>${escaped(path)}</code></p>
${text(operation.description ?? '', prefix)}${rightsOf(operation)}
${parametersOf(parts, operation)}
${bodiesOf(parts, operation, view)}
<h2>Try it</h2><pre tabindex="0"><code>${escaped(curlOf(parts, found))}</code></pre>
<h2>Answers</h2>${Object.entries(operation.responses ?? {})
    .map(([status, answer]) => answerOf(status, parts.answer(answer), parts, view))
    .join('\n')}`;
  const title = operation.summary ?? operationId;
  return htmlPage({ prefix, title, html, current: 'api', side: sideOf(document, prefix, operation.tags ?? []) });
}

/** The groups of operations. @param current of the operation that is shown */
const sideOf = ({ tags = [] }: Document, prefix: string, current: readonly string[] = []): readonly SideGroup[] => [
  {
    title: 'API',
    links: tags.map(({ name }) => ({
      address: `${prefix}/docs#${anchorOf(name)}`,
      text: name,
      isCurrent: current.includes(name),
    })),
  },
];

/** Descriptions have marks of code and links of their own. */
const text = (markdown: string, prefix: string): string =>
  toHtml(markdown, (target) =>
    /^https?:/.test(target) || (prefix === '' ? target.startsWith('/') : target.startsWith(prefix)) ? target : null,
  );

const marked = (said: string): string => escaped(said).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Stands in the place of a permission where everyone may call. */
const NOBODY = 'anonymous';

function rightsOf(operation: DocumentedOperation): string {
  const { 'x-permission': permission, 'x-audit-action': action } = operation;
  const said = [
    permission === NOBODY ? 'Needs no sign-in.' : '',
    permission && permission !== NOBODY ? `Needs the permission <code>${escaped(permission)}</code>.` : '',
    action ? `Its action in the audit is <code>${escaped(action)}</code>.` : '',
  ].filter(Boolean);
  return said.length === 0 ? '' : `<p class="quiet">${said.join(' ')}</p>`;
}

function parametersOf(parts: OperationParts, { parameters = [] }: DocumentedOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters
    .map((one) => parts.parameter(one))
    .map(
      ({ name = '', in: place = '', required, description = '', schema = {} }) =>
        `<tr><td><code>${escaped(name)}</code>${required ? ' <strong>required</strong>' : ''}</td><td>${place}</td>` +
        `<td>${escaped(parts.typeOf(schema))}</td><td>${marked(description)}</td></tr>`,
    );
  return `<h2>Parameters</h2><div class="box"><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>What it is</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function bodiesOf(parts: OperationParts, { requestBody }: DocumentedOperation, view: SchemaView): string {
  const content = Object.entries(requestBody?.content ?? {});
  if (content.length === 0) return '';
  const bodies = content.map(
    ([type, { schema }]) => `<p><code>${escaped(type)}</code></p>${schema ? view.html(schema) : ''}`,
  );
  return `<h2>Body</h2>${bodies.join('')}${exampleOf(parts.example(requestBody?.content))}`;
}

const exampleOf = (example: string | null): string =>
  example === null
    ? ''
    : `<details><summary>An example</summary><pre tabindex="0"><code>${escaped(example)}</code></pre></details>`;

function answerOf(status: string, answer: DocumentedAnswer, parts: OperationParts, view: SchemaView): string {
  const schema = Object.values(answer.content ?? {})[0]?.schema;
  const isGood = status.startsWith('2');
  const description = (answer.description ?? '').replaceAll('; `', '  \n`');
  const said = description.split('  \n').map(marked).join('<br>');
  const body = isGood && schema ? view.html(schema) + exampleOf(parts.example(answer.content)) : '';
  return `<h3>${escaped(status)}</h3><p>${said}</p>${body}`;
}

function curlOf(parts: OperationParts, { method, path, operation }: Named): string {
  const type = Object.keys(operation.requestBody?.content ?? {})[0];
  const example = parts.example(operation.requestBody?.content);
  return [
    `curl -X ${method} "$GATEWAY${path}"`,
    ...(operation['x-permission'] === NOBODY ? [] : [`-H "authorization: Bearer $KEY"`]),
    ...(type === undefined ? [] : [`-H 'content-type: ${type}'`]),
    ...(example === null ? [] : [`-d '${example.replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

/** Schemas as nested lists of their fields. */
class SchemaView {
  constructor(private readonly parts: OperationParts) {}

  html(schema: Schema, depth = 0): string {
    const whole = this.parts.schema(schema);
    const choices = whole.oneOf ?? whole.anyOf;
    const several = choices?.filter((one) => one.type !== 'null') ?? [];
    if (several.length > 1 && depth < DEPTH_MAX)
      return `<p class="quiet">One of:</p><ol>${several.map((one) => `<li>${escaped(this.parts.typeOf(one))}${this.html(one, depth + 1)}</li>`).join('')}</ol>`;
    if (several.length === 1) return this.html(several[0]!, depth);
    if (whole.items) return this.html(whole.items, depth);
    const { properties = {}, required = [] } = whole;
    const fields = Object.entries(properties);
    if (fields.length === 0 || depth >= DEPTH_MAX) return '';
    return `<ul class="fields">${fields.map(([name, field]) => this.field(name, field, required.includes(name), depth)).join('')}</ul>`;
  }

  private field(name: string, schema: Schema, isRequired: boolean, depth: number): string {
    const { description = '' } = { ...this.parts.schema(schema), ...schema };
    const needed = isRequired ? ' <strong>required</strong>' : '';
    return `<li><code>${escaped(name)}</code> <span class="quiet">${escaped(this.parts.typeOf(schema))}</span>${needed} ${marked(description)}${this.html(schema, depth + 1)}</li>`;
  }
}
