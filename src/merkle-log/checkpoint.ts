import { isSignedBy, parseNote, type SignedNote, type VerifierKey } from './signed-note.js';

/*
 * What a log says of itself at one size, as C2SP tlog-checkpoint has it:
 *
 *   <origin>
 *   <number of leaves>
 *   <root, base64>
 *   signed <instant>          our one extension line: an entry that claims an earlier time than its neighbours stands out
 */

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly signedAt: Date;
}

const BODY = /^(\S+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\nsigned (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

/** The text to sign. */
export function formatCheckpoint({ origin, size, root, signedAt }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\nsigned ${signedAt.toISOString()}\n`;
}

/** Reads a signed checkpoint of a gateway; null when it is none. The signature is not checked here. */
export function parseCheckpoint(note: string): { checkpoint: Checkpoint; note: SignedNote } | null {
  const parsed = parseNote(note);
  const [, origin, size, root, signedAt] = BODY.exec(parsed?.text ?? '') ?? [];
  if (!parsed || !origin || !root || !signedAt) return null;
  return {
    checkpoint: { origin, size: Number(size), root: Buffer.from(root, 'base64'), signedAt: new Date(signedAt) },
    note: parsed,
  };
}

/** Reads a checkpoint and checks whose it is; null when it is none, or not signed by this key for this log. */
export function openCheckpoint(note: string, key: VerifierKey): Checkpoint | null {
  const parsed = parseCheckpoint(note);
  if (!parsed || parsed.checkpoint.origin !== key.name || !isSignedBy(parsed.note, key)) return null;
  return parsed.checkpoint;
}

/** Cuts a file of checkpoints, one after the other, into its notes. */
export function splitNotes(text: string): string[] {
  const notes: string[] = [];
  let note = '';
  let isInSignatures = false;
  for (const line of text.split('\n')) {
    const isSignature = line.startsWith('— ');
    if (isInSignatures && !isSignature) {
      notes.push(note);
      [note, isInSignatures] = ['', false];
      if (line === '') continue;
    }
    if (isSignature) isInSignatures = true;
    note += `${line}\n`;
  }
  return note.trim() === '' ? notes : [...notes, note];
}
