/* The same action for a shell: every action of the console shows how a script would do it. */

export interface Equivalent {
  /** The words after `fleetgate`. */
  readonly command?: string;
  readonly method: string;
  /** With its query, such as `/v1/jobs?limit=5`. */
  readonly path: string;
  readonly body?: unknown;
}

/** A word of a command for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A body as flags of the command line that set its fields. */
export const setFlags = (body: object): string =>
  Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--set ${shellWord(`${name}=${JSON.stringify(value)}`)}`)
    .join(' ');

/** A curl command to the gateway at this address; the key is read from the environment, so that it does not stand in the history of the shell. */
export function curlLine({ method, path, body }: Equivalent, gateway: string): string {
  const parts = ['curl', '-H', '"authorization: Bearer $FLEETGATE_API_KEY"'];
  if (method !== 'GET') parts.push('-X', method);
  if (body !== undefined) parts.push('-H', "'content-type: application/json'", '-d', shellWord(JSON.stringify(body)));
  parts.push(shellWord(gateway + path));
  return parts.join(' ');
}

export const commandLine = ({ command }: Equivalent): string | null => (command ? `fleetgate ${command}` : null);

/** The same request with the client package, to the gateway at this address. */
export function typescriptLines({ method, path, body }: Equivalent, gateway: string): string {
  const options = body === undefined ? '' : `, { json: ${JSON.stringify(body, null, 2)} }`;
  return `import { ApiClient } from '@fleetgate/client';

const api = new ApiClient({ url: '${gateway}', key: process.env.FLEETGATE_API_KEY });
const answer = await api.request('${method}', ${JSON.stringify(path)}${options});
console.log(answer.status, await answer.json());`;
}
