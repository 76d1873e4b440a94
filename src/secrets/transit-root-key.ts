import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { TRANSIT_KEY_ADDRESS, type GatewayConfig } from '../platform/config.js';
import { ExternalHttp } from '../platform/external-http.js';
import { type RootKey, type WrappedKey } from './root-keys.js';

/*
 * A root key that never leaves a Vault or OpenBao server: its transit engine wraps and unwraps data keys (engine
 * documentation, "Encrypt Data" and "Decrypt Data"). The key must be of an AEAD type (aes256-gcm96, the default), which
 * takes associated data. After a rotation on the server, a rotation of the root key here wraps with the new version.
 */

/** The longest wait of a starting gateway for the server. */
const TIMEOUT_MS = 10_000;

/** Answers are a few hundred bytes. */
const ANSWER_MAX_BYTES = 64 * 1024;

/** Of the server's own words. */
const REASON_LENGTH_MAX = 200;

const encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(/^[a-z]+:v\d+:.+/) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });
const described = z.object({ data: z.object({ latest_version: z.number().int() }) });

export class TransitRootKey implements RootKey {
  readonly id: string;
  private readonly http = new ExternalHttp({ timeoutMs: TIMEOUT_MS, answerMaxBytes: ANSWER_MAX_BYTES });

  constructor(
    private readonly url: string,
    private readonly config: GatewayConfig,
  ) {
    this.id = url.replace(TRANSIT_KEY_ADDRESS, 'transit:$2/$3');
  }

  opens(rootKeyId: string): boolean {
    return rootKeyId.startsWith(`${this.id}:v`);
  }

  async isCurrent(rootKeyId: string): Promise<boolean> {
    const answer = described.parse(await this.ask('keys'));
    return rootKeyId === `${this.id}:v${answer.data.latest_version}`;
  }

  async wrap(key: Buffer, context: string): Promise<WrappedKey> {
    const answer = await this.ask('encrypt', { plaintext: key.toString('base64'), associated_data: base64(context) });
    const { ciphertext } = encrypted.parse(answer).data;
    return { rootKeyId: `${this.id}:${ciphertext.split(':')[1]!}`, wrapped: Buffer.from(ciphertext) };
  }

  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    const body = { ciphertext: wrapped.toString('utf8'), associated_data: base64(context) };
    return Buffer.from(decrypted.parse(await this.ask('decrypt', body)).data.plaintext, 'base64');
  }

  /** What the server says about an error may repeat what it got, so the token and the key are cut out of it. */
  private async ask(verb: 'keys' | 'encrypt' | 'decrypt', body?: Readonly<Record<string, string>>): Promise<unknown> {
    const { TRANSIT_NAMESPACE: namespace } = this.config;
    const address = this.url.replace(TRANSIT_KEY_ADDRESS, `$1/v1/$2/${verb}/$3`);
    const token = await this.token();
    const headers = {
      'x-vault-token': token,
      'x-vault-request': 'true',
      ...(namespace ? { 'x-vault-namespace': namespace } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const request = body
      ? ({ method: 'POST', headers, body: JSON.stringify(body) } as const)
      : ({ method: 'GET', headers } as const);
    const answer = await this.http.send(address, request).catch((error: unknown) => reasonOf(error));
    if (typeof answer !== 'string' && answer.status === 200) return jsonIn(answer.body);
    const reason =
      typeof answer === 'string'
        ? answer
        : `HTTP ${answer.status}${saidIn(answer.body, [token, ...Object.values(body ?? {})])}`;
    throw new Error(`The transit server did not ${body ? 'use' : 'describe'} ${this.id}: ${reason}`);
  }

  private async token(): Promise<string> {
    const { TRANSIT_TOKEN: token, TRANSIT_TOKEN_FILE: tokenFile } = this.config;
    if (tokenFile === undefined) return token ?? '';
    // Read for each request, so that an agent may renew the token.
    const text = await readFile(tokenFile, 'utf8').catch((cause: unknown) => {
      throw new Error(`The token file ${tokenFile} cannot be read`, { cause });
    });
    return text.trim();
  }
}

/** The name of the system for what went wrong, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name === 'TimeoutError' ? 'no answer in time' : 'no answer';
}

const refused = z.object({ errors: z.array(z.string()) });

/** The server's own reasons, such as `permission denied`. Pure. */
function saidIn(body: Buffer, secrets: readonly string[]): string {
  const parsed = refused.safeParse(jsonIn(body));
  if (!parsed.success || parsed.data.errors.length === 0) return '';
  const text = parsed.data.errors.join('; ').replaceAll(/\s+/g, ' ');
  const shown = secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '…')), text);
  return `: ${shown.replaceAll(/\p{Cc}/gu, ' ').slice(0, REASON_LENGTH_MAX)}`;
}

/** The error of a parser may repeat the text, which has a key; what is no JSON fails the schema. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
