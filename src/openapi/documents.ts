import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { consoleFont } from '../http/console-font.js';
import { ERROR_AREAS } from '../platform/errors.js';
import { type ErrorInfo } from '../platform/errors/error-info.js';
import { documentFiles, documentSearch, documentSide } from './document-pages.js';
import { escaped, htmlPage, PAGE_SCRIPT, PAGE_STYLES } from './html-page.js';
import { operationPage, operationsPage } from './operation-page.js';
import { type Document } from './operation-parts.js';
import { PreparedAnswer } from './prepared-answer.js';

/*
 * The documents: /openapi.json, its pages at /docs, the table of errors at /docs/errors, and the documents of the project below /docs.
 * Everybody may read them, so each is made once, for its first reader. The routes are the gateway's own: the set-up of
 * @nestjs/swagger adds further ones, and makes some answers again for each request.
 */

const HTML = 'text/html; charset=utf-8';

/**
 * @param prefix of the gateway's own addresses
 * @param document makes the OpenAPI document, for its first reader: it takes a quarter of a second
 */
export function serveDocuments(server: FastifyInstance, prefix: string, document: () => object): void {
  const made = once(document);
  const serve = (url: string, page: string, answer: PreparedAnswer) =>
    server.get(url, { config: { page } }, (request, reply) => answer.send(request, reply));
  // Text, and no prepared answer: each page gets a nonce for its script.
  const servePage = (url: string, page: string, make: () => string) => {
    const html = once(make);
    server.get(url, { config: { page } }, (_request, reply) => reply.type(HTML).send(html()));
  };
  serve('/openapi.json', 'The OpenAPI document', new PreparedAnswer(JSON_TYPE, () => JSON.stringify(made())));
  serve('/docs/page.js', 'The script of these pages', new PreparedAnswer(JAVASCRIPT, () => PAGE_SCRIPT));
  serve('/docs/page.css', 'The styles of these pages', new PreparedAnswer(CSS, () => consoleFont('../') + PAGE_STYLES));
  servePage('/docs', 'The pages of the OpenAPI document', () => operationsPage(made(), prefix));
  servePage('/docs/errors', 'The table of errors', () => errorsPage(prefix));
  serveOperations(server, prefix, made);
  const search = documentSearch(prefix);
  server.get('/docs/search', { config: { page: 'The search of the documents' } }, (request, reply) => {
    const { q } = request.query as { q?: unknown };
    return reply.type(HTML).send(search(typeof q === 'string' ? q : ''));
  });
  for (const { name, type, read } of documentFiles(prefix)) {
    const url = `/docs/${name}`;
    if (type === null) servePage(url, 'A document of the project', () => String(read()));
    else serve(url, 'A file that documents refer to', new PreparedAnswer(type, read));
  }
  server.get('/docs/*', { config: { page: 'A document that does not exist' } }, (request, reply) =>
    noSuchPage(request, reply, prefix),
  );
}

/** A person who follows an old link gets a page, a program the problem. */
function noSuchPage({ headers: { accept } }: FastifyRequest, reply: FastifyReply, prefix: string): FastifyReply {
  if (accept?.includes('text/html')) {
    const html = `<h1>No such page</h1><p>The documents of this gateway have no page at this address. Search for a
word above, or look through the list of pages.</p>`;
    return reply
      .code(404)
      .type(HTML)
      .send(htmlPage({ prefix, title: 'No such page', html, current: null, side: documentSide(prefix) }));
  }
  reply.callNotFound();
  return reply;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

function serveOperations(server: FastifyInstance, prefix: string, document: () => Document): void {
  const pages = new Map<string, string>();
  const config = { page: 'An operation of the OpenAPI document' };
  server.get('/docs/operations/:operationId', { config }, (request, reply): FastifyReply => {
    const { operationId } = request.params as { operationId: string };
    const page = pages.get(operationId) ?? operationPage(document(), operationId, prefix);
    if (page === null) return noSuchPage(request, reply, prefix);
    pages.set(operationId, page);
    return reply.type(HTML).send(page);
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** One row for each code, so that the `type` of a problem leads to its description. */
function errorsPage(prefix: string): string {
  const html = `<h1>Errors</h1><p>Every error is <code>application/problem+json</code> with one of these codes.</p>
${ERROR_AREAS.map(([title, errors]) => errorTable(title, errors)).join('\n')}`;
  return htmlPage({ prefix, title: 'Errors', html, current: 'errors' });
}

function errorTable(title: string, errors: Readonly<Record<string, ErrorInfo>>): string {
  const escape = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
  const rows = Object.entries(errors).map(
    ([code, { status, title: what, advice, retryable }]) =>
      `<tr id="${code}"><td><code>${code.replaceAll('_', '_<wbr>')}</code></td><td data-head="Status">${status}</td><td>${escape(what)}.</td>` +
      `<td>${escape(advice)}</td><td data-head="Retryable">${retryable ? 'yes' : 'no'}</td></tr>`,
  );
  return `<h2>${title}</h2>
<div class="box"><table class="list errors"><thead><tr><th>Code</th><th>Status</th><th>What happened</th><th>What to do</th><th>Retryable</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}
