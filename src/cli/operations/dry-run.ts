import { type Context } from '../context.js';
import { type ApiOperation } from './operation.js';
import { OPERATIONS } from './operations.js';
import { type ApiRequest } from './request.js';

/* `--dry-run` of a change that the gateway cannot try: what it names is looked up, and it is said what was not checked. */

/**
 * Looks up what a request changes, and says the request without its values, which may be secrets.
 * @throws ApiError when it is not there
 */
export async function dryRun(
  operation: ApiOperation,
  { method, path, json }: ApiRequest,
  context: Context,
): Promise<void> {
  const named = addressOfNamed(operation.path, path);
  if (named !== null) await context.send('GET', named);
  const fields = Object.keys(json ?? {});
  context.say(`Would send ${method} ${path}${fields.length === 0 ? '' : ` with the fields ${fields.join(', ')}`}`);
  context.say(
    named === null
      ? 'Nothing was checked: the gateway does that when it is sent'
      : 'What it changes is there; the rest is checked when it is sent',
  );
}

/** The address of the thing that a path is about, where it can be read; null where it cannot. */
export function addressOfNamed(template: string, path: string): string | null {
  const parts = template.split('/');
  const [filled = ''] = path.split('?', 1);
  for (let length = parts.length; length > 0; length--) {
    const isThing = parts[length - 1]!.startsWith('{');
    if (isThing && isRead(parts.slice(0, length).join('/'))) return filled.split('/').slice(0, length).join('/');
  }
  return null;
}

const isRead = (template: string): boolean =>
  Object.values<ApiOperation>(OPERATIONS).some(({ method, path }) => method === 'GET' && path === template);
