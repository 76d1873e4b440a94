/** Seeded randomness: the same seed and label give the same numbers, so that a run can be replayed. */
export class Random {
  private state: number;

  constructor(private readonly seed: string) {
    let hash = 0x811c9dc5;
    for (let index = 0; index < seed.length; index++) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
    this.state = hash >>> 0;
  }

  /** A stream of its own for a part of the simulation, so that one part's use does not shift another's. */
  fork(label: string | number): Random {
    return new Random(`${this.seed}/${label}`);
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A locally administered address. */
  mac(): string {
    const bytes = [2, ...this.bytes(5)];
    return bytes.map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.integer(0, 255)));
  }
}

/** A range of milliseconds or of any other unit: [least, most]. */
export type Range = readonly [number, number];
