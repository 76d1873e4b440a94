import { LRUCache } from 'lru-cache';

/**
 * A cache that drops the least recently used entry when it has more than `entries`. It grows as it fills: with the option
 * `max` lru-cache reserves all memory at once, which took a fifth of the processor time of a start.
 */
export const boundedCache = <Key extends {}, Value extends {}>(entries: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: entries, sizeCalculation: () => 1 });
