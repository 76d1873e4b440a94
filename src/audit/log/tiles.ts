import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { leafHash } from '../../merkle-log/merkle.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { JOIN_ROWS, LINE } from '../entries/canonical.js';
import { archiveFolder, segmentLines } from './archived-segments.js';
import { LogRows } from './log-rows.js';
import { MerkleStore, NODE_STEP, SEGMENT_LEAVES } from './merkle-store.js';

/*
 * The log as C2SP tlog-tiles has it, so that tools of others verify and mirror it: a tile is 256 hashes of one level, which are
 * the rows of `MerkleStore`, and a bundle is the 256 entries below a tile of level 0. Those of archived segments are read from
 * their files. Only what the last checkpoint covers is served, so a tile never changes.
 */

const TILE_WIDTH = 2 ** NODE_STEP;

/** The length of an entry in a bundle has two bytes. */
const ENTRY_BYTES_MAX = 65_535;

const INDEX = /^((?:x\d{3}\/){0,4})(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Which hashes, or which entries: `width` of them, from `index` times 256 on. */
export interface Tile {
  readonly index: number;
  readonly width: number;
}

/**
 * Reads the end of a tile's address: `067`, `x001/x234/067` for 1,234,067, `067.p/12` for its first 12.
 * @throws AppError `audit_tile_not_found`
 */
export function parseTile(text: string): Tile {
  const [, above, last, width = String(TILE_WIDTH)] = INDEX.exec(text) ?? [];
  const isCanonical = last !== undefined && !above!.startsWith('x000');
  if (!isCanonical || Number(width) > TILE_WIDTH || text.endsWith(`.p/${TILE_WIDTH}`)) throw notFound();
  return { index: Number(`${above!.replace(/[x/]/g, '')}${last}`), width: Number(width) };
}

@Injectable()
export class Tiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'AUDIT_ARCHIVE_DIR' | 'DATA_DIR'>,
  ) {}

  /** The last checkpoint, a signed note. @throws AppError `audit_tile_not_found` before the first one */
  async checkpoint(): Promise<string> {
    return (await this.lastCheckpoint()).note;
  }

  /**
   * The hashes of a tile, 32 bytes each.
   * @param level 0: those of entries; each further one: those above 256 of the level below
   * @throws AppError `audit_tile_not_found`, `audit_archive_unreadable`
   */
  async hashes(level: number, { index, width }: Tile): Promise<Buffer> {
    const from = index * TILE_WIDTH;
    await this.requireSigned((from + width) * TILE_WIDTH ** level);
    if (level > 0) {
      const hashes = await new MerkleStore(this.db.manager).stored(level * NODE_STEP, from, from + width);
      return Buffer.concat(hashes);
    }
    const rows = await this.db.query<{ hash: Buffer }[]>(
      'select hash from audit_leaf where sequence >= $1 and sequence < $2 order by sequence',
      [from, from + width],
    );
    if (rows.length === width) return Buffer.concat(rows.map(({ hash }) => hash));
    return Buffer.concat((await this.archived(from, width)).map((line) => leafHash(line)));
  }

  /**
   * The entries below a tile of level 0: each the two bytes of its length, then its line as an export has it.
   * @throws AppError `audit_tile_not_found`, `audit_archive_unreadable`, `audit_entry_too_long`
   */
  async entries({ index, width }: Tile): Promise<Buffer> {
    const from = index * TILE_WIDTH;
    await this.requireSigned(from + width);
    const rows = await this.db.query<{ line: string | null }[]>(
      `select ${LINE} as line from audit_leaf leaf ${JOIN_ROWS}
        where leaf.sequence >= $1 and leaf.sequence < $2 order by leaf.sequence`,
      [from, from + width],
    );
    const lines = rows.length === width ? rows.map(({ line }) => Buffer.from(line ?? missing(from))) : null;
    return Buffer.concat((lines ?? (await this.archived(from, width))).flatMap((line, at) => framed(line, from + at)));
  }

  /** Lines of leaves that have left the database. No tile reaches over two segments. */
  private async archived(from: number, width: number): Promise<Buffer[]> {
    const number = Math.floor(from / SEGMENT_LEAVES);
    const segment = (await new LogRows(this.db.manager).segment(number)) ?? missing(from);
    const bytes = await readFile(path.join(archiveFolder(this.config), segment.fileName)).catch(() => null);
    const lines = bytes && segmentLines(bytes, segment);
    if (!lines) throw new AppError('audit_archive_unreadable', { fileName: segment.fileName });
    const first = from - number * SEGMENT_LEAVES;
    return lines.slice(first, first + width);
  }

  private async requireSigned(leaves: number): Promise<void> {
    if (leaves > (await this.lastCheckpoint()).size) throw notFound();
  }

  private async lastCheckpoint() {
    const last = await new LogRows(this.db.manager).checkpoint();
    if (!last) throw notFound();
    return last;
  }
}

function framed(line: Buffer, sequence: number): [Buffer, Buffer] {
  if (line.length > ENTRY_BYTES_MAX) throw new AppError('audit_entry_too_long', { sequence, bytes: line.length });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(line.length);
  return [length, line];
}

function missing(from: number): never {
  throw new Error(`The audit log lacks leaves from ${from} on; run an audit verify`);
}

const notFound = () => new AppError('audit_tile_not_found');
