/** Items that wait in a queue for each site; sites take turns, so that a large one does not hold up a small one. Pure. */
export class SiteQueues<Item> {
  /** In the order of their turns. */
  private readonly sites = new Map<string, { readonly waiting: Item[]; running: number }>();

  /** @param atOnce items of one site that may run at the same time */
  constructor(
    items: readonly Item[],
    siteOf: (item: Item) => string,
    private readonly atOnce: number,
  ) {
    for (const item of items) {
      const site = siteOf(item);
      const known = this.sites.get(site);
      if (known) known.waiting.push(item);
      else this.sites.set(site, { waiting: [item], running: 0 });
    }
  }

  /** The next item that may run; null when none may now. */
  take(): Item | null {
    for (const [name, site] of this.sites) {
      if (site.waiting.length === 0 || site.running >= this.atOnce) continue;
      this.sites.delete(name);
      this.sites.set(name, site); // to the end: the others come first
      site.running++;
      return site.waiting.shift()!;
    }
    return null;
  }

  /** An item of this site has ended. */
  leave(name: string): void {
    const site = this.sites.get(name)!;
    site.running--;
    if (site.running === 0 && site.waiting.length === 0) this.sites.delete(name);
  }

  /** Takes all that still wait, whatever runs. */
  drain(): Item[] {
    return [...this.sites.values()].flatMap(({ waiting }) => waiting.splice(0));
  }
}
