/*
 * Fair queues: each lane runs a limited number of items at once, and lanes take turns, so that a large one does not
 * delay a small one. Pure.
 */

interface Lane<Item> {
  readonly name: string;
  readonly waiting: Item[];
  next: number;
  running: number;
}

export class SiteQueues<Item> {
  private readonly lanes: Lane<Item>[] = [];
  private readonly byName = new Map<string, Lane<Item>>();
  private turn = 0;

  /** @param atOnce how many items of one lane may run at once */
  constructor(
    items: readonly Item[],
    laneOf: (item: Item) => string,
    private readonly atOnce: number,
  ) {
    for (const item of items) {
      const name = laneOf(item);
      let lane = this.byName.get(name);
      if (!lane) {
        lane = { name, waiting: [], next: 0, running: 0 };
        this.byName.set(name, lane);
        this.lanes.push(lane);
      }
      lane.waiting.push(item);
    }
  }

  /** The next item to run; null when none may run now. */
  take(): Item | null {
    for (let tries = 0; tries < this.lanes.length; tries++) {
      const lane = this.lanes[(this.turn + tries) % this.lanes.length]!;
      if (lane.next >= lane.waiting.length || lane.running >= this.atOnce) continue;
      this.turn = (this.turn + tries + 1) % this.lanes.length;
      lane.running++;
      return lane.waiting[lane.next++]!;
    }
    return null;
  }

  /** Registers the end of an item. */
  leave(name: string): void {
    this.byName.get(name)!.running--;
  }

  /** Removes and returns all waiting items. */
  drain(): Item[] {
    return this.lanes.flatMap((lane) => lane.waiting.splice(lane.next));
  }
}
