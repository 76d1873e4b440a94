import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  consistencyPath,
  EMPTY_ROOT,
  fold,
  Frontier,
  isConsistent,
  leafHash,
  nodeHash,
  rootOf,
  subtreesBetween,
} from '../../src/merkle-log/merkle.js';

/** Leaves and roots of the reference tests of Certificate Transparency. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const leaves = (count: number) => Array.from({ length: count }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));

/** The definition, word for word: RFC 9162, section 2.1.1. */
function mth(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest();
  if (hashes.length === 1) return hashes[0]!;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(mth(hashes.slice(0, split)), mth(hashes.slice(split)));
}

describe('the Merkle tree', () => {
  it('has the roots that the reference tests of Certificate Transparency give', () => {
    const frontier = new Frontier();
    expect(frontier.root()).toEqual(EMPTY_ROOT);
    const roots = LEAVES.map((leaf) => {
      frontier.push(leafHash(Buffer.from(leaf, 'hex')));
      return frontier.root().toString('hex');
    });
    expect(roots).toEqual(ROOTS);
  });

  it('has the same root when stretches are given as one hash', () => {
    const all = leaves(77);
    for (const [from, to] of [
      [0, 64],
      [5, 6],
      [3, 70],
      [64, 77],
      [1, 77],
    ] as const) {
      const frontier = new Frontier();
      for (const leaf of all.slice(0, from)) frontier.push(leaf);
      for (const { start, height } of subtreesBetween(from, to)) {
        frontier.push(fold(all.slice(start, start + 2 ** height)), height);
      }
      for (const leaf of all.slice(to)) frontier.push(leaf);
      expect(frontier.root()).toEqual(mth(all));
    }
    const parts = subtreesBetween(0, 77).map(({ start, height }) => ({
      height,
      hash: fold(all.slice(start, start + 2 ** height)),
    }));
    expect(rootOf(parts)).toEqual(mth(all));
  });

  it('takes no subtree at a place where none can begin', () => {
    const frontier = new Frontier();
    frontier.push(leaves(1)[0]!);
    expect(() => frontier.push(leaves(1)[0]!, 1)).toThrow(RangeError);
  });

  it('proves each size to be the beginning of each larger one, and nothing else', () => {
    const all = leaves(33);
    const root = (size: number) => mth(all.slice(0, size));
    for (let old = 1; old <= all.length; old++) {
      for (let now = old; now <= all.length; now++) {
        const proof = consistencyPath(old, now).map(({ start, end }) => mth(all.slice(start, end)));
        expect(isConsistent({ size: old, root: root(old) }, { size: now, root: root(now) }, proof)).toBe(true);
        const other = leafHash(Buffer.from('another'));
        expect(isConsistent({ size: old, root: other }, { size: now, root: root(now) }, proof)).toBe(false);
        expect(isConsistent({ size: old, root: root(old) }, { size: now, root: other }, proof)).toBe(false);
        if (proof.length > 0) {
          expect(isConsistent({ size: old, root: root(old) }, { size: now, root: root(now) }, proof.slice(1))).toBe(
            false,
          );
        }
      }
    }
    expect(isConsistent({ size: 5, root: root(5) }, { size: 4, root: root(4) }, [])).toBe(false);
  });
});
