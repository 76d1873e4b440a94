import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type GatewayConfig } from '../../platform/config.js';
import { ARCHIVE_ACTION, type ArchiveEntry, type LogRows, type SegmentRow } from './log-rows.js';

/*
 * Proves that the gateway archived a segment and that its rows were not deleted by hand. The proof is an audit entry
 * with its root, file and digest, and the file itself. The entry is written in the transaction that removes the rows,
 * so its place in the log is after them. When the entry is archived itself, it is in the file of a later segment. So
 * segments are checked from the last one to the first. The verification of the entry's leaf proves its content.
 */

const NO_ENTRY = 'No audit entry confirms the record of this archived segment: its rows were deleted';
const NO_FILE = 'The file of this archived segment cannot be read in the folder of the archive';
const OTHER_FILE = 'The file of this archived segment was changed';

/** Lines that begin with it are no leaves. */
const PROOF = Buffer.from('{"proof"');

export function archiveFolder(config: Pick<GatewayConfig, 'AUDIT_ARCHIVE_DIR' | 'DATA_DIR'>): string {
  return config.AUDIT_ARCHIVE_DIR ?? path.join(config.DATA_DIR, 'audit');
}

export const segmentFileName = (number: number) => `segment-${String(number).padStart(9, '0')}.ndjson`;

export class ArchivedSegments {
  private readonly entryKeys = new Set<string>();
  private readonly problems = new Map<number, string>();

  constructor(
    private readonly rows: Pick<LogRows, 'archiveEntries'>,
    private readonly folder: string,
  ) {}

  /** @returns problems, by the number of the segment */
  async check(segments: readonly SegmentRow[]): Promise<ReadonlyMap<number, string>> {
    if (segments.length === 0) return this.problems;
    const subjects = new Set<string>();
    for (const entry of await this.rows.archiveEntries()) {
      subjects.add(entry.subject);
      this.entryKeys.add(entryKey(entry));
    }
    const isThere = await isFolder(this.folder);
    let areFilesComplete = isThere;
    // Entries are archived in order: entries of segments before the first one with its entry may be in files.
    const firstWithEntry = segments.findIndex(({ number }) => subjects.has(subjectOf(number)));
    for (const [index, segment] of Array.from(segments.entries()).toReversed()) {
      if (!this.entryKeys.has(rowKey(segment))) {
        const mayBeInFile = !areFilesComplete && index < firstWithEntry;
        if (!mayBeInFile) this.problems.set(Number(segment.number), NO_ENTRY);
      } else if (isThere) {
        const problem = await this.readFile(segment);
        if (problem) this.problems.set(Number(segment.number), problem);
        else continue;
      } else continue;
      areFilesComplete = false;
    }
    return this.problems;
  }

  /** Reads the archive entries in a segment's file. @returns the problem of the file, or null */
  private async readFile({ number, fileName, fileSha256 }: SegmentRow): Promise<string | null> {
    if (fileName !== segmentFileName(Number(number))) return OTHER_FILE;
    const bytes = await readFile(path.join(this.folder, fileName)).catch(() => null);
    if (!bytes) return NO_FILE;
    if (!createHash('sha256').update(bytes).digest().equals(fileSha256)) return OTHER_FILE;
    for (const entry of archiveEntriesIn(bytes)) this.entryKeys.add(entryKey(entry));
    return null;
  }
}

/** Finds the few lines about archived segments, without parsing the others. */
function* archiveEntriesIn(bytes: Buffer): Generator<ArchiveEntry> {
  const mark = `"action": "${ARCHIVE_ACTION}"`;
  for (let at = bytes.indexOf(mark); at >= 0;) {
    const end = bytes.indexOf('\n', at);
    const line = bytes.toString('utf8', bytes.lastIndexOf('\n', at) + 1, end);
    const row = JSON.parse(line) as ArchiveEntry & { type?: unknown; action?: unknown };
    if (row.type === 'entry' && row.action === ARCHIVE_ACTION) yield row;
    at = bytes.indexOf(mark, end);
  }
}

/** The lines of a segment's leaves, in their order. @returns null when the file is not the one that the gateway wrote */
export function segmentLines(bytes: Buffer, { fileSha256 }: Pick<SegmentRow, 'fileSha256'>): Buffer[] | null {
  if (!createHash('sha256').update(bytes).digest().equals(fileSha256)) return null;
  const lines: Buffer[] = [];
  for (let at = 0, end; (end = bytes.indexOf(0x0a, at)) >= 0; at = end + 1) {
    const line = bytes.subarray(at, end);
    if (!line.subarray(0, PROOF.length).equals(PROOF)) lines.push(line);
  }
  return lines;
}

const subjectOf = (number: string) => `audit_segment:${number}`;

const entryKey = ({ subject, facts }: ArchiveEntry) => JSON.stringify([subject, facts.root, facts.file, facts.sha256]);

const rowKey = ({ number, root, fileName, fileSha256 }: SegmentRow) =>
  JSON.stringify([subjectOf(number), root.toString('base64'), fileName, fileSha256.toString('hex')]);

const isFolder = (folder: string) =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
