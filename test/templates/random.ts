/** Mulberry32: the same numbers for the same seed, everywhere. */
export class Random {
  constructor(private state: number) {}

  /** At least 0 and below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }
}
