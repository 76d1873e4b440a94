import { type Gateway } from '../../src/gateway.js';
import { buildDocument } from '../../src/openapi/openapi.js';
import { onProblem } from '../../src/http/http-server.js';
import { codesOf, type AnsweringOperation } from './api-document.js';
import { inlined } from './source/inlined.js';

/* Every code that a route answers while tests run must be one that its operation declares in the document. */

/** Codes by operation, such as `GET /v1/devices/{ref}`; the same for all gateways of a process. */
let declared: ReadonlyMap<string, ReadonlySet<string>> | null = null;

function declaredBy(gateway: Gateway): ReadonlyMap<string, ReadonlySet<string>> {
  const operations = Object.entries(inlined(buildDocument(gateway.app)).paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, AnsweringOperation>).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, new Set(codesOf(operation))] as const,
    ),
  );
  return new Map(operations);
}

/** The operation of a request: Fastify names its parameters otherwise, and HEAD answers as GET. */
function operationOf(method: string, url: string): string {
  const path = url.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}');
  return `${method === 'HEAD' && !path.endsWith('{path}') ? 'GET' : method} ${path}`;
}

/**
 * Watches the answers of a gateway.
 * @returns gives an error that names the answers with undeclared codes; null when there are none
 */
export function watchCodes(gateway: Gateway): () => Error | null {
  const seen = new Map<string, Set<string>>();
  onProblem(gateway.app.getHttpAdapter().getInstance(), (code, { method, routeOptions, raw }) => {
    if (routeOptions.url === undefined || routeOptions.config.page) return; // no route, or a page: no operation
    if (raw.socket.destroyed) return; // the caller has gone: no answer
    const operation = operationOf(method, routeOptions.url);
    seen.set(operation, (seen.get(operation) ?? new Set()).add(code));
  });
  return () => {
    if (seen.size === 0) return null;
    declared ??= declaredBy(gateway);
    const undeclared = [...seen].flatMap(([operation, codes]) =>
      [...codes].filter((code) => !declared!.get(operation)?.has(code)).map((code) => `${operation}: ${code}`),
    );
    return undeclared.length > 0 ? new Error(`Answered, and not declared:\n${undeclared.join('\n')}`) : null;
  };
}
