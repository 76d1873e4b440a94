import { readFileSync } from 'node:fs';

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as ApiDocument;

const DOCUMENTED = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => ({ method: method.toUpperCase(), parts: path.split('/') })),
);

/** Whether the API document has an operation for a request. @param call such as `GET /v1/devices/7` */
export function isDocumented(call: string): boolean {
  const [method = '', path = ''] = call.split(' ');
  const given = path.split('/');
  return DOCUMENTED.some((operation) => operation.method === method && isOf(operation.parts, given));
}

/** `{path}` takes all that is left. */
function isOf(parts: readonly string[], given: readonly string[]): boolean {
  if (parts.at(-1) === '{path}' ? given.length < parts.length : given.length !== parts.length) return false;
  return parts.every((part, at) => part.startsWith('{') || part === given[at]);
}
