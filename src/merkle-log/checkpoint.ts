import { isSignedBy, parseNote, type SignedNote, type VerifierKey } from './signed-note.js';

/*
 * What a log says of itself at one size, as C2SP tlog-checkpoint has it:
 *
 *   <origin>
 *   <number of leaves>
 *   <root, base64>
 *   signed <instant>                    an entry that claims an earlier time than its neighbours is visible
 *   after <number> <size> <instant>     the checkpoint before: one that was deleted is missed; `after 0 0 …` in the first
 *   set back from <instant>             the clock showed a later time before: entries from here on may claim earlier times
 *
 * The last three are our extension lines. Checkpoints from before these were numbered have the first of them only.
 */

export interface Predecessor {
  /** Checkpoints are numbered from 1; 0: there is none, or it has no number. */
  readonly number: number;
  readonly size: number;
  readonly signedAt: Date;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly signedAt: Date;
  readonly after?: Predecessor;
  /** The latest time that the clock had shown, when it shows an earlier one now. */
  readonly setBackFrom?: Date;
}

/** What the first checkpoint of a log says of the one before it. */
export const NO_PREDECESSOR: Predecessor = { number: 0, size: 0, signedAt: new Date(0) };

const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const NUMBER = String.raw`0|[1-9]\d{0,15}`;
const BODY = new RegExp(
  String.raw`^(?<origin>\S+)\n(?<size>${NUMBER})\n(?<root>[A-Za-z0-9+/]{43}=)\nsigned (?<signedAt>${INSTANT})\n` +
    String.raw`(?:after (?<number>${NUMBER}) (?<before>${NUMBER}) (?<beforeAt>${INSTANT})\n)?` +
    String.raw`(?:set back from (?<setBackFrom>${INSTANT})\n)?$`,
);

/** The text to sign. */
export function formatCheckpoint({ origin, size, root, signedAt, after, setBackFrom }: Checkpoint): string {
  const lines = [origin, size, root.toString('base64'), `signed ${signedAt.toISOString()}`];
  if (after) lines.push(`after ${after.number} ${after.size} ${after.signedAt.toISOString()}`);
  if (setBackFrom) lines.push(`set back from ${setBackFrom.toISOString()}`);
  return `${lines.join('\n')}\n`;
}

/** The number of a checkpoint; 0 for one from before they were numbered. */
export const numberOf = ({ after }: Checkpoint): number => (after ? after.number + 1 : 0);

/** Reads a signed checkpoint of a gateway; null when it is none. The signature is not checked here. */
export function parseCheckpoint(note: string): { checkpoint: Checkpoint; note: SignedNote } | null {
  const parsed = parseNote(note);
  const groups = BODY.exec(parsed?.text ?? '')?.groups as BodyGroups | undefined;
  if (!parsed || !groups) return null;
  const { origin, size, root, signedAt, number, before, beforeAt, setBackFrom } = groups;
  return {
    checkpoint: {
      origin,
      size: Number(size),
      root: Buffer.from(root, 'base64'),
      signedAt: new Date(signedAt),
      ...(beforeAt && { after: { number: Number(number), size: Number(before), signedAt: new Date(beforeAt) } }),
      ...(setBackFrom && { setBackFrom: new Date(setBackFrom) }),
    },
    note: parsed,
  };
}

type BodyGroups = Record<'origin' | 'size' | 'root' | 'signedAt', string> &
  Partial<Record<'number' | 'before' | 'beforeAt' | 'setBackFrom', string>>;

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
