import { createHash, createPublicKey, verify } from 'node:crypto';

/*
 * A mirror of a log that is served as C2SP tlog-tiles, written from the texts of the specification (c2sp.org/tlog-tiles,
 * tlog-checkpoint, signed-note; RFC 6962) alone: it imports nothing of the gateway.
 */

const WIDTH = 256;
const HASH_BYTES = 32;
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

export interface Mirror {
  readonly size: number;
  readonly entries: readonly string[];
}

/**
 * Reads the whole log, and checks every byte of it against its signed checkpoint.
 * @param read the bytes at an address below the prefix of the log
 * @param key a verifier key, `<name>+<key id>+<base64>`
 * @throws Error that says what does not fit
 */
export async function mirrorOf(read: (path: string) => Promise<Buffer>, key: string): Promise<Mirror> {
  const { size, root } = opened((await read('checkpoint')).toString('utf8'), key);
  const leaves = await hashesOf(read, 0, size);
  const entries: string[] = [];
  for (const { path, width } of tilesOf('entries', size)) {
    const bundle = entriesIn(await read(path));
    if (bundle.length !== width) throw new Error(`${path} has ${bundle.length} entries, not ${width}`);
    for (const entry of bundle) {
      if (!hash(0, entry).equals(leaves[entries.length]!)) throw new Error(`entry ${entries.length} has another hash`);
      entries.push(entry.toString('utf8'));
    }
  }
  if (!treeHash(leaves).equals(root)) throw new Error('the tiles have another root than the checkpoint');
  await checkUpperLevels(read, leaves);
  return { size, entries };
}

async function checkUpperLevels(read: (path: string) => Promise<Buffer>, leaves: readonly Buffer[]): Promise<void> {
  let below = leaves;
  for (let level = 1; below.length >= WIDTH; level++) {
    const count = Math.floor(below.length / WIDTH);
    const hashes = await hashesOf(read, level, count);
    for (const [at, one] of hashes.entries()) {
      const isRight = treeHash(below.slice(at * WIDTH, (at + 1) * WIDTH)).equals(one);
      if (!isRight) throw new Error(`hash ${at} of level ${level} is not that of the tile below it`);
    }
    below = hashes;
  }
}

/** A signed note: text, an empty line, `— <name> <base64 of key id and signature>`. */
function opened(note: string, key: string): { size: number; root: Buffer } {
  const end = note.indexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [, name, keyId, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(key) ?? [];
  const publicKey = Buffer.from(String(encoded), 'base64');
  if (publicKey[0] !== 1) throw new Error('the key is not Ed25519');
  const der = Buffer.concat([SPKI_ED25519, publicKey.subarray(1)]);
  const isSigned = note
    .slice(end + 2)
    .split('\n')
    .filter((line) => line.startsWith(`— ${String(name)} `))
    .map((line) => Buffer.from(line.split(' ')[2] ?? '', 'base64'))
    .filter((bytes) => bytes.toString('hex', 0, 4) === keyId)
    .some((bytes) => {
      const from = createPublicKey({ key: der, format: 'der', type: 'spki' });
      return verify(null, Buffer.from(text), from, bytes.subarray(4));
    });
  if (!isSigned) throw new Error('the checkpoint is not signed by this key');
  const [origin, size, root] = text.split('\n');
  if (origin !== name) throw new Error('the checkpoint is of another log');
  return { size: Number(size), root: Buffer.from(String(root), 'base64') };
}

async function hashesOf(read: (path: string) => Promise<Buffer>, level: number, count: number): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  for (const { path, width } of tilesOf(String(level), count)) {
    const tile = await read(path);
    if (tile.length !== width * HASH_BYTES) throw new Error(`${path} has ${tile.length} bytes`);
    for (let at = 0; at < width; at++) hashes.push(tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  }
  return hashes;
}

/** All full tiles, then the partial one. */
function tilesOf(level: string, count: number): { path: string; width: number }[] {
  const tiles = Array.from({ length: Math.floor(count / WIDTH) }, (_, index) => ({
    path: `tile/${level}/${indexText(index)}`,
    width: WIDTH,
  }));
  const width = count % WIDTH;
  if (width > 0) tiles.push({ path: `tile/${level}/${indexText(tiles.length)}.p/${width}`, width });
  return tiles;
}

/** 1234067 is `x001/x234/067`. */
function indexText(index: number): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  }
  return groups.join('/');
}

function entriesIn(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length;) {
    const length = bundle.readUInt16BE(at);
    entries.push(bundle.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return entries;
}

/** RFC 6962: 0 before a leaf, 1 before two nodes. */
const hash = (prefix: number, ...parts: Buffer[]) =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(prefix), ...parts]))
    .digest();

/** RFC 6962, section 2.1, from the hashes of the leaves. */
function treeHash(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0]!;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return hash(1, treeHash(hashes.slice(0, split)), treeHash(hashes.slice(split)));
}
