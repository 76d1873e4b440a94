import { openCheckpoint, type Checkpoint } from './checkpoint.js';
import { Frontier, leafHash } from './merkle.js';
import { parseVerifierKey } from './signed-note.js';

/* Checks an export of the audit line by line, without the gateway: the same as docs/verify-export.sh, and faster. Pure. */

const HASH_LINE = /^\{"proof":"hash","height":(\d{1,2}),"hash":"([0-9a-f]{64})"\}$/;

export class ExportCheck {
  private readonly frontier = new Frontier();
  private checkpoint: Checkpoint | null = null;
  private lines = 0;
  private hasEnded = false;
  private fault: string | null = null;

  /** @param key the verifier key, known from elsewhere */
  constructor(private readonly key: string) {}

  /** Takes the next line, without its newline. */
  take(line: string): void {
    if (this.fault !== null) return;
    if (this.lines++ === 0) return this.takeHead(line);
    if (this.hasEnded) return this.fail('There are lines after the end');
    const [, height, hash] = HASH_LINE.exec(line) ?? [];
    if (line.startsWith('{"proof":"end",')) this.hasEnded = true;
    else if (!hash) this.frontier.push(leafHash(Buffer.from(line)));
    else if (this.frontier.size % 2 ** Number(height) === 0)
      this.frontier.push(Buffer.from(hash, 'hex'), Number(height));
    else this.fail(`A hash of height ${height} cannot follow ${this.frontier.size} leaves`);
  }

  /** What does not hold, as a sentence; null when the export is what the log has signed. */
  problem(): string | null {
    if (this.fault !== null) return this.fault;
    if (!this.checkpoint) return 'The export is empty';
    if (!this.hasEnded) return 'The export was cut off: its last line is missing';
    const { size, root } = this.checkpoint;
    if (this.frontier.size !== size) return `The export has ${this.frontier.size} leaves, ${size} were signed`;
    return this.frontier.root().equals(root) ? null : 'The root of these lines is not the signed one';
  }

  /** The signed checkpoint that the export was made for. */
  get signed(): Checkpoint | null {
    return this.checkpoint;
  }

  private takeHead(line: string): void {
    const key = parseVerifierKey(this.key);
    if (!key) return this.fail('The verifier key is not valid');
    const note = checkpointOf(line);
    this.checkpoint = note === null ? null : openCheckpoint(note, key);
    if (!this.checkpoint) this.fail('The checkpoint of the export is not signed with this key');
  }

  private fail(why: string): void {
    this.fault ??= why;
  }
}

function checkpointOf(line: string): string | null {
  try {
    const { checkpoint } = JSON.parse(line) as { checkpoint?: unknown };
    return typeof checkpoint === 'string' ? checkpoint : null;
  } catch {
    return null;
  }
}
