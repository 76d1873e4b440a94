import * as client from 'openid-client';
import { type Clock } from '../../platform/clock.js';
import { errorChain } from '../../platform/errors/error-chain.js';
import { ExternalHttp } from '../../platform/external-http.js';
import { hiding } from '../../secrets/secret-forms.js';
import { claimAt, groupsIn, scopeFor, sendsSecretInBody, type Groups } from './oidc-claims.js';
import { type OidcProvider } from './oidc-providers.js';

/*
 * Client of an OpenID provider: code flow with PKCE, state and nonce; it also checks the ID token's signature. Requests
 * have a deadline and a size limit, follow no redirects, and go through the proxy of the environment, where there is one.
 */

const DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 1024 * 1024;

/** The provider's metadata are read again after this time. */
const DISCOVERED_MS = 3_600_000;

/** A provider that failed is not asked again for this time: each sign-in would wait for a dead one up to its deadline. */
const FAILED_MS = 10_000;

/** The state of a sign-in while the browser is at the provider. */
export interface OidcFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Claims of the ID token, and of the user info where it was needed. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly groups: Groups;
}

/** Longest reason of a provider in the log and the audit. */
const REASON_LENGTH_MAX = 400;

/**
 * A failed request to a provider, or a refusal by it. The message has the provider's own reason, such as `invalid_scope`,
 * without any secret of the request: some providers repeat what they got. It has no `cause`, which would show them.
 */
class OidcFailure extends Error {
  constructor(error: unknown, { clientId, clientSecret }: OidcProvider, ofFlow: readonly (string | null)[]) {
    const flow = ofFlow.flatMap((secret) => (secret === null ? [] : [{ secret }]));
    const client = clientSecret === undefined ? [] : [{ secret: clientSecret, username: clientId }];
    super(
      errorChain(error, hiding([...client, ...flow]))
        .replaceAll(/\p{Cc}/gu, ' ')
        .slice(0, REASON_LENGTH_MAX),
    );
    this.name = 'OidcFailure';
  }
}

/** Whether a call-back makes the gateway ask the provider for tokens; others are refused before. */
export function asksForTokens({ searchParams }: URL, { state }: OidcFlow): boolean {
  return searchParams.get('state') === state && searchParams.has('code') && !searchParams.has('error');
}

export class OidcClient {
  private discovered: { readonly configuration: Promise<client.Configuration>; until: number } | null = null;

  /** @param clock tells when metadata are read again */
  constructor(
    readonly provider: OidcProvider,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  /** The provider's URL for the browser, and the state to keep. @throws OidcFailure */
  async begin(redirectUri: string): Promise<{ url: string; flow: OidcFlow }> {
    const configuration = await this.discover().catch((error: unknown) => {
      throw new OidcFailure(error, this.provider, []);
    });
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopeFor(this.provider, configuration.serverMetadata().scopes_supported),
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    });
    return { url: url.href, flow };
  }

  /** Completes a sign-in. @param returned the callback's URL with its query @throws OidcFailure */
  async finish(returned: URL, flow: OidcFlow): Promise<OidcPerson> {
    try {
      return await this.exchange(returned, flow);
    } catch (error) {
      const code = returned.searchParams.get('code');
      throw new OidcFailure(error, this.provider, [code, flow.verifier, flow.state, flow.nonce]);
    }
  }

  private async exchange(returned: URL, flow: OidcFlow): Promise<OidcPerson> {
    const { groupsClaim } = this.provider;
    const configuration = await this.discover();
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    // Many providers return groups only in the user info.
    const more =
      claimAt(claims, groupsClaim) === undefined && configuration.serverMetadata().userinfo_endpoint
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    const groups = groupsIn([claims, more], groupsClaim);
    return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims }, groups };
  }

  private discover(): Promise<client.Configuration> {
    if (this.discovered && this.discovered.until > this.clock.nowMs()) return this.discovered.configuration;
    const { issuer, clientId, clientSecret } = this.provider;
    const configuration = client.discovery(
      new URL(issuer),
      clientId,
      {},
      clientSecret === undefined ? client.None() : this.authentication(clientSecret),
      {
        [client.customFetch]: fetchWithLimits,
        timeout: DEADLINE_MS / 1_000,
        execute: [
          client.enableNonRepudiationChecks,
          // The configuration allows http only for issuers on loopback.
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    const discovered = { configuration, until: this.clock.nowMs() + DISCOVERED_MS };
    this.discovered = discovered;
    configuration.catch(() => (discovered.until = this.clock.nowMs() + FAILED_MS));
    return configuration;
  }

  /** The way is chosen with the provider's document, which is read later. */
  private authentication(clientSecret: string): client.ClientAuth {
    const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
    return (server, metadata, body, headers) => {
      const isInBody = sendsSecretInBody(this.provider, server.token_endpoint_auth_methods_supported);
      (isInBody ? post : basic)(server, metadata, body, headers);
    };
  }
}

/** Statuses whose answers have no body (RFC 9110, section 6.4.1). */
const WITHOUT_BODY = new Set([204, 205, 304]);

const http = new ExternalHttp({ timeoutMs: DEADLINE_MS, answerMaxBytes: ANSWER_MAX_BYTES, usesProxy: true });

async function fetchWithLimits(url: string, { method, headers, body, signal }: client.CustomFetchOptions) {
  const answer = await http.send(url, {
    method: method === 'GET' ? 'GET' : 'POST',
    headers,
    ...(body === undefined || body === null ? {} : { body: formOf(body) }),
    ...(signal ? { signal } : {}),
  });
  const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  const content = WITHOUT_BODY.has(answer.status) ? null : new Uint8Array(answer.body);
  return new Response(content, { status: answer.status, headers: fields });
}

/** The client library sends forms alone. */
function formOf(body: client.FetchBody): string {
  if (body instanceof URLSearchParams || typeof body === 'string') return body.toString();
  throw new TypeError('A request to a sign-in provider has a form as its body');
}
