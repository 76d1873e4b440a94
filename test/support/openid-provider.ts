import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';
import { Browser } from './browser.js';

export const CLIENT_ID = 'fleetgate';
export const CLIENT_SECRET = 'a-client-secret-that-is-planted';

/** What the provider says of somebody; a test changes it between sign-ins. */
export interface Person {
  preferred_username?: string;
  name?: string;
  email?: string;
  groups?: string[];
  amr?: string[];
  /** Keycloak's place for roles. */
  realm_access?: { roles: string[] };
  /** Entra's link in the place of groups. */
  hasgroups?: boolean;
  _claim_names?: Record<string, string>;
  _claim_sources?: Record<string, object>;
}

/** A provider as others are: its clients, and what it offers. */
export type ProviderOptions = Pick<Configuration, 'scopes' | 'claims' | 'clientAuthMethods' | 'clients'>;

/** A real OpenID provider on loopback, with its own pages to sign in and to consent. */
export class OpenidProvider {
  readonly people = new Map<string, Person>();
  /** The addresses that were asked for. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /** Begins to listen; it answers when `open` was called. */
  static async listen(): Promise<OpenidProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenidProvider(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** Answers from now on, for a client that is at these addresses. */
  open(redirectUris: string | string[], clientSecret = CLIENT_SECRET, options: ProviderOptions = {}): void {
    const always = ['sub', 'amr', 'realm_access', 'hasgroups', '_claim_names', '_claim_sources'];
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT_ID, client_secret: clientSecret, redirect_uris: [redirectUris].flat() }],
      claims: { openid: always, profile: ['name', 'preferred_username'], email: ['email'], groups: ['groups'] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      pkce: { required: () => true },
      cookies: { keys: ['for tests'] },
      features: { devInteractions: { enabled: true } },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...this.people.get(sub), sub }) }),
      ...options,
    });
    const answer = provider.callback();
    this.server.on('request', (request, response) => {
      this.asked.push(request.url ?? '');
      void answer(request, response);
    });
  }

  /**
   * Signs somebody in on the pages of the provider, as a person would.
   * @param authorizeUrl where the gateway sent the browser
   * @param cancels whether the person cancels on the first page
   * @returns where the provider sends the browser in the end
   */
  async signIn(authorizeUrl: string, sub: string, cancels = false): Promise<string> {
    const browser = new Browser(this.issuer, {});
    let address = authorizeUrl;
    for (let step = 0; step < 12; step++) {
      if (!address.startsWith(this.issuer)) return address;
      const page = await browser.get(address);
      const location = page.headers.get('location');
      if (location) {
        address = new URL(location, this.issuer).href;
        continue;
      }
      const text = String(page.body['text']);
      const cancel = /<a href="([^"]+\/abort)">/.exec(text)?.[1];
      if (cancels && cancel) {
        address = new URL(cancel, this.issuer).href;
        continue;
      }
      const form = new URLSearchParams({ prompt: /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? '' });
      if (form.get('prompt') === 'login') form.set('login', sub);
      form.set('password', 'any');
      const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
      if (!action) throw new Error(`The provider shows no form: ${text.slice(0, 500)}`);
      const sent = await browser.submit(new URL(action, address).href, form);
      address = new URL(sent.headers.get('location') ?? '', this.issuer).href;
    }
    throw new Error('The provider does not come to an end');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
