import { type BrowserContext, type Request } from 'playwright-core';
import { isDocumented } from './api-paths.js';
import { expectNone } from './figures.js';

/** What the pages of a test did that a page must not do. */
export class WatchedPages {
  private readonly outside = new Set<string>();
  private readonly refused = new Set<string>();
  private readonly undocumented = new Set<string>();
  private readonly errors = new Set<string>();

  /**
   * @param bases addresses of the gateway and of what stands before it: origins, or with a path
   * @param others of pages that are not ours, to which a person goes on purpose; what they load is not judged
   */
  constructor(
    private readonly bases: readonly string[],
    private readonly others: readonly string[] = [],
  ) {}

  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
    context.on('request', (request) => {
      if (!this.isOfOthers(request)) this.requested(request.method(), new URL(request.url()));
    });
    context.on('console', (message) => {
      if (/policy/i.test(message.text())) this.refused.add(message.text());
    });
    context.on('weberror', (error) => this.errors.add(error.error().message));
  }

  /** Fails where a page asked somebody else, broke its content policy, called what is not documented, or threw. */
  check(): void {
    expectNone('B5', 'requests to other origins', [...this.outside]);
    expectNone('B5', 'reports of the content policy', [...this.refused]);
    expectNone('B7', 'calls that openapi.json does not have', [...this.undocumented]);
    expectNone('B9', 'errors that a page did not catch', [...this.errors]);
  }

  /** The page of another party, and what it loads. */
  private isOfOthers(request: Request): boolean {
    const isPage = request.isNavigationRequest();
    return this.others.includes(new URL(isPage ? request.url() : request.frame().url()).origin);
  }

  private requested(method: string, { protocol, href }: URL): void {
    if (protocol === 'blob:' || protocol === 'data:') return;
    const base = this.bases.find((one) => href.startsWith(`${one}/`));
    if (base === undefined) return void this.outside.add(href);
    const path = href.slice(base.length).split(/[?#]/, 1)[0]!;
    const isPage = /^\/(console|docs)(\/|$)|^\/$/.test(path);
    if (!isPage && !isDocumented(`${method} ${path}`)) this.undocumented.add(`${method} ${path}`);
  }
}
