import { readFile } from 'node:fs/promises';
import axios, { isAxiosError, type AxiosInstance } from 'axios';
import { z } from 'zod';
import { type GatewayConfig } from '../config.js';
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

const encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(/^[a-z]+:v\d+:.+/) }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });
const described = z.object({ data: z.object({ latest_version: z.number().int() }) });

export class TransitRootKey implements RootKey {
  readonly id: string;
  private readonly http: AxiosInstance;

  constructor(
    url: string,
    private readonly config: GatewayConfig,
  ) {
    this.id = `transit:${config.TRANSIT_MOUNT}/${config.TRANSIT_KEY}`;
    this.http = axios.create({
      baseURL: url,
      timeout: TIMEOUT_MS,
      maxContentLength: ANSWER_MAX_BYTES,
      maxRedirects: 0,
      proxy: false,
    });
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

  /** An error of axios contains the request with token and key. It is not passed on; only its status is reported. */
  private async ask(verb: 'keys' | 'encrypt' | 'decrypt', body?: object): Promise<unknown> {
    const { TRANSIT_MOUNT: mount, TRANSIT_KEY: key, TRANSIT_NAMESPACE: namespace } = this.config;
    const url = `/v1/${mount}/${verb}/${encodeURIComponent(key)}`;
    const headers = {
      'x-vault-token': await this.token(),
      'x-vault-request': 'true',
      ...(namespace ? { 'x-vault-namespace': namespace } : {}),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS); // axios restarts its own timeout with each byte
    const answer = await this.http
      .request<unknown>({ method: body ? 'post' : 'get', url, headers, data: body, signal })
      .catch((error: unknown) => reasonOf(error));
    if (typeof answer !== 'string') return answer.data;
    throw new Error(`The transit server did not ${body ? 'use' : 'describe'} ${this.id}: ${answer}`);
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

function reasonOf(error: unknown): string {
  if (!isAxiosError(error)) return 'no answer';
  return error.response ? `HTTP ${error.response.status}` : (error.code ?? 'no answer');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
