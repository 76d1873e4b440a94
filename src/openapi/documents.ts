import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type FastifyInstance } from 'fastify';
import { ERRORS } from '../platform/errors.js';
import { type ErrorInfo } from '../platform/errors/error-info.js';
import { PreparedAnswer } from './prepared-answer.js';

/*
 * The documents: /openapi.json, its pages at /docs, and the table of errors at /docs/errors. Everybody may read them, so
 * each is made once, for its first reader. The routes are the gateway's own: the set-up of @nestjs/swagger adds further
 * ones, and makes some answers again for each request.
 */

const { resolve } = createRequire(import.meta.url);

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

/** Files of swagger-ui-dist that the page loads. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': JAVASCRIPT,
  'swagger-ui-standalone-preset.js': JAVASCRIPT,
  'favicon-32x32.png': 'image/png',
};

const page = (
  prefix: string,
): string => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fleetgate API</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" type="image/png" href="${prefix}/docs/favicon-32x32.png"><link rel="stylesheet" href="${prefix}/docs/swagger-ui.css">
<style>body{margin:0;background:#fafafa}</style>
<div id="swagger-ui"></div>
<script src="${prefix}/docs/swagger-ui-bundle.js"></script><script src="${prefix}/docs/swagger-ui-standalone-preset.js"></script>
<script src="${prefix}/docs/start.js"></script></html>`;

const start = (prefix: string): string => `window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: '${prefix}/openapi.json', dom_id: '#swagger-ui', deepLinking: true, displayRequestDuration: true, docExpansion: 'list',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], layout: 'StandaloneLayout',
  });
};
`;

/**
 * @param prefix of the gateway's own addresses
 * @param document makes the OpenAPI document, for its first reader: it takes a quarter of a second
 */
export function serveDocuments(server: FastifyInstance, prefix: string, document: () => object): void {
  const serve = (url: string, page: string, answer: PreparedAnswer) =>
    server.get(url, { config: { page } }, (request, reply) => answer.send(request, reply));
  const json = new PreparedAnswer('application/json; charset=utf-8', () => JSON.stringify(document()));
  serve('/openapi.json', 'The OpenAPI document', json);
  // Text, and no prepared answer: each one gets a nonce for its scripts.
  server.get('/docs', { config: { page: 'The pages of the OpenAPI document' } }, (_request, reply) =>
    reply.type(HTML).send(page(prefix)),
  );
  serve('/docs/start.js', 'A script of these pages', new PreparedAnswer(JAVASCRIPT, () => start(prefix)));
  for (const [name, type] of Object.entries(FILES)) {
    const answer = new PreparedAnswer(type, () => readFile(resolve(`swagger-ui-dist/${name}`)));
    serve(`/docs/${name}`, 'A file of these pages', answer);
  }
  serve('/docs/errors', 'The table of errors', new PreparedAnswer(HTML, errorsPage));
}

/** One section for each code, so that the `type` of a problem leads to its description. */
function errorsPage(): string {
  const escape = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
  const rows = Object.entries<ErrorInfo>(ERRORS).map(
    ([code, { status, title, advice, retryable }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escape(title)}.</td>` +
      `<td>${escape(advice)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fleetgate errors</title>
<meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}
table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem;border-bottom:1px solid #ddd}
tr:target{background:#fff3c4}</style>
<h1>Errors</h1><p>Every error is <code>application/problem+json</code> with one of these codes.</p>
<table><tr><th>Code<th>Status<th>What happened<th>What to do<th>Retryable</tr>${rows.join('\n')}</table></html>`;
}
