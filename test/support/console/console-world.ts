import { Secret, TOTP } from 'otpauth';
import { type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { Browser } from '../browser.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { sharedChromium } from './chromium.js';
import { WatchedPages } from './watched-pages.js';

/*
 * The world of a browser test. A file starts one, for all its tests:
 *
 *     world = await startConsoleWorld({ ROLE: 'api' });   a gateway, and a person whose cookie the browser has
 *     const page = await world.open('/jobs');             a tab with a screen; `settled(page)` waits for what it reads
 *     await goTo(page, '/devices');                       another screen in the same tab, without a load
 *     await faultsOf(page, '/devices');                   what axe finds in each theme and width
 *     await page.close();
 *     await world.close();                                also fails where a page did what none may do (`WatchedPages`)
 *
 * What these cost, in processor time: a gateway 1.2 s, a tab in a browser of its own (`isFresh`) 1.5 s, another tab of the
 * same browser 0.65 s, a load in an open tab 0.35 s, `goTo` 0.2 s. So a test that looks at many screens goes through them in
 * one tab. A browser opens at most six connections to an origin, and each tab has a stream of events: close tabs.
 */

const PASSWORD = 'a lighthouse at noon';
const STEP_MS = 30_000;
const WINDOW = { width: 1280, height: 800 };

interface PageOptions {
  /** In the place of the gateway's own address. */
  readonly origin?: string;
  /** In a browser of its own: with empty caches, and in a process that no other page shares. */
  readonly isFresh?: boolean;
}

/** A gateway, a person with a second factor, and a browser in which the person is signed in. */
export interface ConsoleWorld {
  readonly gateway: TestGateway;
  readonly name: string;
  readonly password: string;
  /** A code that was not used before: one of the authenticator, then recovery codes. At most 11. */
  code(): string;
  /** A tab in the person's browser that shows a screen. @param path below /console */
  open(path: string, look?: PageOptions): Promise<Page>;
  /** A context in which nobody is signed in. */
  stranger(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** @param origins of what stands before the gateway */
export async function startConsoleWorld(
  env: Record<string, string> = {},
  origins: readonly string[] = [],
): Promise<ConsoleWorld> {
  const gateway = await startTestGateway(env);
  const browser = await startWatchedBrowser([gateway.url, ...origins]);
  const person = await addPerson(gateway);
  const signedIn = async (origin: string) => {
    const context = await browser.context({ viewport: WINDOW });
    await context.addCookies([{ ...person.cookie, url: origin }]);
    await context.addInitScript(`if (location.protocol === 'http:') localStorage.setItem('fleetgate.theme', 'light')`);
    return context;
  };
  const shared: Record<string, Promise<BrowserContext>> = {};
  return {
    gateway,
    name: person.name,
    password: PASSWORD,
    code: person.code,
    stranger: (options) => browser.context(options),
    async open(path, { origin = gateway.url, isFresh = false } = {}) {
      const context = await (isFresh ? signedIn(origin) : (shared[origin] ??= signedIn(origin)));
      const page = await context.newPage();
      await page.goto(`${origin}/console${path}`);
      // The end of the world may be first.
      if (isFresh) page.on('close', () => void context.close().catch(() => undefined));
      return page;
    },
    async close() {
      await browser.close();
      await gateway.close();
      browser.check();
    },
  };
}

/** A part of the shared browser, in which pages are watched. */
export interface WatchedBrowser {
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
  /** Fails where a page did what it must not do. */
  check(): void;
}

/**
 * Starts the browser, where no file before did.
 * @param bases addresses of the gateway and of what stands before it: origins, or with a path
 * @param others of pages that are not ours, such as those of an OpenID provider
 */
export async function startWatchedBrowser(
  bases: readonly string[],
  others: readonly string[] = [],
): Promise<WatchedBrowser> {
  const chromium = await sharedChromium();
  const pages = new WatchedPages(bases, others);
  const contexts: BrowserContext[] = [];
  return {
    async context(options = {}) {
      const context = await chromium.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(60_000); // Only ends what hangs, on a busy machine too.
      contexts.push(context);
      await pages.watch(context);
      return context;
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
    check: () => pages.check(),
  };
}

async function addPerson({ api, url }: TestGateway) {
  const name = 'Grace';
  const { id } = await api.post<{ id: string }>('/v1/operators', { name, role: 'administrator' });
  const { token } = await api.post<{ token: string }>(`/v1/operators/${id}/invitation`);
  const at = new Browser(url);
  await at.post('/v1/invitations/accept', { token, password: PASSWORD });
  await at.login(name, PASSWORD);
  const { secret } = (await at.post('/v1/self/totp', { password: PASSWORD })).body as unknown as { secret: string };
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const confirmed = await at.post('/v1/self/totp/confirm', { code: totp.generate() });
  const { recoveryCodes } = confirmed.body as unknown as { recoveryCodes: string[] };
  let isUsed = false;
  /** The authenticator's code of the next step is valid, too. The one after it would take up to half a minute. */
  const code = () => {
    if (isUsed) return recoveryCodes.shift()!;
    isUsed = true;
    return totp.generate({ timestamp: Date.now() + STEP_MS });
  };
  return { name, code, cookie: at.cookie };
}
