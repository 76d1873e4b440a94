import { type EntityManager } from 'typeorm';
import { consistencyPath, fold, rootOf, subtreesBetween, type Stretch } from '../../merkle-log/merkle.js';

/*
 * The Merkle tree of the log as rows: a hash per leaf, one above each 256 of them, one above each 65,536, and so on. A
 * root or a proof of any size reads a few hundred hashes. These rows are not trusted: the verifier computes all of them
 * again.
 */

/** The distance of stored heights: one hash above 256. */
export const NODE_STEP = 8;
const NODE_WIDTH = 2 ** NODE_STEP;

export const SEGMENT_LEAVES = 4_096;

const HASH_BYTES = 32;

export class MerkleStore {
  constructor(private readonly db: Pick<EntityManager, 'query'>) {}

  /** Stores the nodes that became complete with the leaves `from` to `to` (exclusive). */
  async complete(from: number, to: number): Promise<void> {
    let [first, end] = [from, to];
    for (let height = NODE_STEP; end >= NODE_WIDTH; height += NODE_STEP) {
      const firstNode = Math.floor(first / NODE_WIDTH);
      const endNode = Math.floor(end / NODE_WIDTH);
      if (endNode === firstNode) return;
      const below = await this.stored(height - NODE_STEP, firstNode * NODE_WIDTH, endNode * NODE_WIDTH);
      const nodes = Array.from({ length: endNode - firstNode }, (_, node) =>
        fold(below.slice(node * NODE_WIDTH, (node + 1) * NODE_WIDTH)),
      );
      await this.db.query(
        `insert into audit_node (height, position, hash)
         select $1, position, hash from unnest($2::bigint[], $3::bytea[]) as node (position, hash)`,
        [height, nodes.map((_, node) => firstNode + node), nodes],
      );
      [first, end] = [firstNode, endNode];
    }
  }

  /** The root of the first `size` leaves. */
  root(size: number): Promise<Buffer> {
    return this.stretch({ start: 0, end: size });
  }

  /** The proof that the first `oldSize` leaves are the beginning of the first `newSize`. */
  async consistency(oldSize: number, newSize: number): Promise<Buffer[]> {
    const proof: Buffer[] = [];
    for (const part of consistencyPath(oldSize, newSize)) proof.push(await this.stretch(part));
    return proof;
  }

  /** The hash above a full subtree. */
  async subtree(height: number, start: number): Promise<Buffer> {
    const above = height % NODE_STEP;
    const stored = height - above;
    const first = start / 2 ** stored;
    return fold(await this.stored(stored, first, first + 2 ** above));
  }

  private async stretch({ start, end }: Stretch): Promise<Buffer> {
    const parts: { height: number; hash: Buffer }[] = [];
    for (const { height, start: at } of subtreesBetween(start, end)) {
      parts.push({ height, hash: await this.subtree(height, at) });
    }
    return rootOf(parts);
  }

  /** Stored hashes of one height, in order. @throws Error when one is missing: the log was damaged */
  async stored(height: number, from: number, to: number): Promise<Buffer[]> {
    const [row] = await this.db.query<{ hashes: Buffer | null }[]>(
      height === 0
        ? `select string_agg(hash, '' order by sequence) as hashes from audit_leaf where sequence >= $1 and sequence < $2`
        : `select string_agg(hash, '' order by position) as hashes from audit_node
            where position >= $1 and position < $2 and height = $3`,
      height === 0 ? [from, to] : [from, to, height],
    );
    const bytes = row?.hashes ?? Buffer.alloc(0);
    if (bytes.length !== (to - from) * HASH_BYTES) {
      throw new Error(`The audit log lacks hashes of height ${height} between ${from} and ${to}`);
    }
    return Array.from({ length: to - from }, (_, index) =>
      bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
    );
  }
}
