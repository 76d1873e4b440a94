import axios from 'axios';
import * as client from 'openid-client';
import { type OidcProvider } from './oidc-providers.js';

/*
 * What is said to an OpenID provider: code flow with PKCE, state and nonce; the signature of the ID token is checked too.
 * Requests go out by axios, like all that do not go to devices: with a deadline, a size limit and no redirects.
 */

const DEADLINE_MS = 10_000;
const ANSWER_MAX_BYTES = 1024 * 1024;

/** What the provider published of itself is looked at again this often. */
const DISCOVERED_MS = 3_600_000;

/** What must be remembered between leaving for the provider and coming back. */
export interface OidcTrip {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who came back. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Claims of the ID token, and those of the user info where it says more. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export class OidcClient {
  private discovered: { readonly configuration: Promise<client.Configuration>; readonly until: number } | null = null;

  constructor(readonly provider: OidcProvider) {}

  /** Where to send the browser, and what to remember. */
  async begin(redirectUri: string, nowMs: number): Promise<{ url: string; trip: OidcTrip }> {
    const configuration = await this.discover(nowMs);
    const trip = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.provider.scope,
      code_challenge: await client.calculatePKCECodeChallenge(trip.verifier),
      code_challenge_method: 'S256',
      state: trip.state,
      nonce: trip.nonce,
    });
    return { url: url.href, trip };
  }

  /** Takes what the browser brought back. @param returned the address of the callback with its query */
  async finish(returned: URL, trip: OidcTrip, nowMs: number): Promise<OidcPerson> {
    const configuration = await this.discover(nowMs);
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: trip.verifier,
      expectedState: trip.state,
      expectedNonce: trip.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    // Many providers put groups into the user info alone.
    const more =
      claims[this.provider.groupsClaim] === undefined && configuration.serverMetadata().userinfo_endpoint
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } };
  }

  private discover(nowMs: number): Promise<client.Configuration> {
    if (this.discovered && this.discovered.until > nowMs) return this.discovered.configuration;
    const { issuer, clientId, clientSecret } = this.provider;
    const configuration = client.discovery(
      new URL(issuer),
      clientId,
      {},
      clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
      {
        [client.customFetch]: fetchByAxios,
        timeout: DEADLINE_MS / 1_000,
        execute: [
          client.enableNonRepudiationChecks,
          // The configuration lets only issuers on loopback be http.
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    this.discovered = { configuration, until: nowMs + DISCOVERED_MS };
    configuration.catch(() => (this.discovered = null));
    return configuration;
  }
}

/** Statuses whose answers have no body (RFC 9110, section 6.4.1). */
const WITHOUT_BODY = new Set([204, 205, 304]);

async function fetchByAxios(url: string, options: client.CustomFetchOptions): Promise<Response> {
  const { status, data, headers } = await axios.request<ArrayBuffer>({
    url,
    method: options.method,
    headers: options.headers,
    data: options.body instanceof URLSearchParams ? options.body.toString() : options.body,
    responseType: 'arraybuffer',
    timeout: DEADLINE_MS,
    ...(options.signal ? { signal: options.signal } : {}),
    maxRedirects: 0,
    maxContentLength: ANSWER_MAX_BYTES,
    validateStatus: () => true,
  });
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  return new Response(WITHOUT_BODY.has(status) ? null : data, { status, headers: fields });
}
