import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type GatewayConfig } from '../../platform/config.js';
import { serviceUrl } from '../../platform/addresses/written-address.js';

/*
 * The configured OpenID providers. Client secrets are in the configuration or in files
 * that it names; they stay in memory.
 */

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const providerSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .describe('In addresses'),
    name: z.string().min(1).max(80).describe('On the page where people sign in'),
    issuer: serviceUrl.refine(isSafeIssuer, 'must be https; http is only for loopback'),
    clientId: z.string().min(1).max(300),
    clientSecret: z.string().min(1).max(1_000).optional(),
    clientSecretFile: z.string().min(1).optional(),
    scope: z.string().min(1).max(300).optional().describe('Absent: what the document of the provider lists'),
    /** As in the registration of the client (OpenID Connect Registration 1.0, section 2). */
    clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
    groupsClaim: z.string().min(1).max(200).default('groups').describe('A name, or names joined by dots'),
    roles: z.record(z.string().min(1).max(300), z.array(z.string().min(1).max(63)).max(20)).describe('By group'),
    /** Values of `amr` (RFC 8176) that mean a second factor at the provider. */
    secondFactorAmr: z.array(z.string().max(60)).max(20).default([]),
  })
  .refine(({ clientSecret, clientSecretFile }) => !clientSecret || !clientSecretFile, 'has two client secrets');

const providersSchema = z
  .array(providerSchema)
  .max(20)
  .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'must have unique ids');

export type OidcProvider = Omit<z.output<typeof providerSchema>, 'clientSecretFile'>;

/** Reads the providers and the files with their secrets. @throws Error for the operator, without any value */
export async function readProviders(config: Pick<GatewayConfig, 'OIDC_PROVIDERS'>): Promise<OidcProvider[]> {
  const parsed = providersSchema.safeParse(parseJson(config.OIDC_PROVIDERS ?? '[]'));
  if (!parsed.success) {
    throw wrong(parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`).join('\n'));
  }
  return Promise.all(
    parsed.data.map(async ({ clientSecretFile, ...provider }) =>
      clientSecretFile ? { ...provider, clientSecret: (await read(clientSecretFile)).trim() } : provider,
    ),
  );
}

function isSafeIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return true; // the schema names it
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`The file ${file} of the configuration of OpenID providers cannot be read`, { cause });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('  It is not valid JSON.'); // the parser's message repeats the input
  }
}

const wrong = (problems: string) =>
  new Error(`The configuration of OpenID providers is not valid:\n${problems}\nSee docs/reference/operators.md.`);
