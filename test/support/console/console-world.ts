import { Secret, TOTP } from 'otpauth';
import { type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { Browser } from '../browser.js';
import { startTestGateway, type TestGateway } from '../gateway.js';
import { startChromium } from './chromium.js';
import { WatchedPages } from './watched-pages.js';

const PASSWORD = 'a lighthouse at noon';
const STEP_MS = 30_000;

export type Theme = 'light' | 'dark' | 'contrast';

interface Look {
  readonly theme?: Theme;
  readonly width?: number;
  /** In the place of the gateway's own address. */
  readonly origin?: string;
}

/** A gateway, a person with a second factor, and a browser in which the person is signed in. */
export interface ConsoleWorld {
  readonly gateway: TestGateway;
  readonly name: string;
  readonly password: string;
  /** What the authenticator shows: a code that was not used before. */
  code(): Promise<string>;
  /** A page that shows a screen; its context ends with it. @param path below /console */
  open(path: string, look?: Look): Promise<Page>;
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
  return {
    gateway,
    name: person.name,
    password: PASSWORD,
    code: person.code,
    stranger: (options) => browser.context(options),
    async open(path, { theme = 'light', width = 1280, origin = gateway.url } = {}) {
      const context = await browser.context({ viewport: { width, height: width < 600 ? 844 : 800 } });
      await context.addCookies([{ ...person.cookie, url: origin }]);
      await context.addInitScript(
        `if (location.protocol === 'http:') localStorage.setItem('fleetgate.theme', '${theme}')`,
      );
      const page = await context.newPage();
      await page.goto(`${origin}/console${path}`);
      // The end of the browser may be first.
      page.on('close', () => void context.close().catch(() => undefined));
      return page;
    },
    async close() {
      await browser.close();
      await gateway.close();
      browser.check();
    },
  };
}

/** A browser whose pages are watched. */
export interface WatchedBrowser {
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
  /** Fails where a page did what it must not do. */
  check(): void;
}

/**
 * Starts a browser.
 * @param origins of the gateway and of what stands before it
 * @param others of pages that are not ours, such as those of an OpenID provider
 */
export async function startWatchedBrowser(
  origins: readonly string[],
  others: readonly string[] = [],
): Promise<WatchedBrowser> {
  const chromium = await startChromium();
  const pages = new WatchedPages(origins, others);
  return {
    async context(options = {}) {
      const context = await chromium.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(20_000);
      await pages.watch(context);
      return context;
    },
    close: () => chromium.close(),
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
  await at.post('/v1/self/totp/confirm', { code: totp.generate() });
  let used = Math.floor(Date.now() / STEP_MS);
  /** Each code is good once, and one of the next step is taken as well. */
  const code = async () => {
    used = Math.max(used + 1, Math.floor(Date.now() / STEP_MS));
    while (used > Math.floor(Date.now() / STEP_MS) + 1) await new Promise((resolve) => setTimeout(resolve, 500));
    return totp.generate({ timestamp: used * STEP_MS });
  };
  return { name, code, cookie: at.cookie };
}
