import { hash } from 'node:crypto';

/*
 * The Merkle tree of RFC 9162, section 2.1 (the one of RFC 6962): a leaf is SHA-256(0x00 | bytes), an inner node
 * SHA-256(0x01 | left | right), and a tree that is not full is split at the largest power of two below its size. Pure.
 *
 * A tree is read here as a row of full subtrees from left to right, each of a height (2^height leaves) and at a multiple
 * of its own width: so whole stretches can be given by one hash each, and the root is the same.
 */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const EMPTY_ROOT = sha256(Buffer.alloc(0));

export function leafHash(bytes: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, bytes]));
}

/** The hash above two others. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** A full subtree: 2^height leaves. */
export interface Subtree {
  readonly height: number;
  readonly hash: Buffer;
}

/** What is needed of the leaves so far to append more: the full subtrees, the highest first. */
export class Frontier {
  private readonly stack: Subtree[] = [];
  private leaves = 0;

  get size(): number {
    return this.leaves;
  }

  /** Appends a leaf, or a complete full subtree. */
  push(hash: Buffer, height = 0): void {
    if (this.leaves % 2 ** height !== 0)
      throw new RangeError(`No subtree of height ${height} begins at ${this.leaves}`);
    this.leaves += 2 ** height;
    let joined: Subtree = { height, hash };
    while (this.stack.at(-1)?.height === joined.height) {
      joined = { height: joined.height + 1, hash: nodeHash(this.stack.pop()!.hash, joined.hash) };
    }
    this.stack.push(joined);
  }

  root(): Buffer {
    return rootOf(this.stack);
  }

  copy(): Frontier {
    const copy = new Frontier();
    copy.stack.push(...this.stack);
    copy.leaves = this.leaves;
    return copy;
  }
}

/** The root above full subtrees side by side, from left to right, each smaller than the previous one. */
export function rootOf(subtrees: readonly Subtree[]): Buffer {
  const hashes = subtrees.map(({ hash }) => hash);
  if (hashes.length === 0) return EMPTY_ROOT;
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** The hash above 2^n hashes of equal height. */
export function fold(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0]!;
  const above = Array.from({ length: hashes.length / 2 }, (_, pair) =>
    nodeHash(hashes[2 * pair]!, hashes[2 * pair + 1]!),
  );
  return fold(above);
}

/** The full subtrees that make up the leaves `from` to `to` (not included), from left to right. */
export function subtreesBetween(from: number, to: number): { height: number; start: number }[] {
  const parts: { height: number; start: number }[] = [];
  for (let start = from; start < to;) {
    let height = 0;
    while (start % 2 ** (height + 1) === 0 && start + 2 ** (height + 1) <= to) height++;
    parts.push({ height, start });
    start += 2 ** height;
  }
  return parts;
}

/** The largest power of two below `size`: where RFC 9162 splits a tree. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** A stretch of leaves, `end` not included. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Their hashes, in this order, are the proof (RFC 9162, section 2.1.4.1). */
export function consistencyPath(oldSize: number, newSize: number): Stretch[] {
  const path = (start: number, end: number, isOldRoot: boolean): Stretch[] => {
    if (oldSize === end) return isOldRoot ? [] : [{ start, end }];
    const middle = start + splitOf(end - start);
    return oldSize <= middle
      ? [...path(start, middle, isOldRoot), { start: middle, end }]
      : [...path(middle, end, false), { start, end: middle }];
  };
  return oldSize <= 0 || oldSize >= newSize ? [] : path(0, newSize, true);
}

/** Whether a proof shows that the tree with `newRoot` begins with the one with `oldRoot` (RFC 9162, section 2.1.4.2). */
export function isConsistent(
  old: { size: number; root: Buffer },
  now: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (old.size > now.size) return false;
  if (old.size === now.size) return proof.length === 0 && old.root.equals(now.root);
  if (old.size === 0) return proof.length === 0 && old.root.equals(EMPTY_ROOT);
  const path = isPowerOfTwo(old.size) ? [old.root, ...proof] : [...proof];
  let [oldNode, newNode] = [old.size - 1, now.size - 1];
  while (oldNode % 2 === 1) [oldNode, newNode] = [half(oldNode), half(newNode)];
  const first = path.shift();
  if (!first) return false;
  let [oldHash, newHash] = [first, first];
  for (const step of path) {
    if (newNode === 0) return false;
    if (oldNode % 2 === 1 || oldNode === newNode) {
      oldHash = nodeHash(step, oldHash);
      newHash = nodeHash(step, newHash);
      while (oldNode % 2 === 0 && oldNode !== 0) [oldNode, newNode] = [half(oldNode), half(newNode)];
    } else {
      newHash = nodeHash(newHash, step);
    }
    [oldNode, newNode] = [half(oldNode), half(newNode)];
  }
  return newNode === 0 && oldHash.equals(old.root) && newHash.equals(now.root);
}

const half = (number: number) => Math.floor(number / 2);

const isPowerOfTwo = (size: number) => splitOf(size + 1) === size;

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}
