import { countText, numberText, pluralText } from '../../api/amount-text.js';

/* What is known of the log's integrity, in words. Pure. */

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;

interface Verified {
  /** When it began. */
  readonly at: string;
  readonly holds: boolean;
  /** Lines that it read. */
  readonly lines: number;
}

/** @param signed lines of the newest checkpoint */
export function proofText({ at, holds, lines }: Verified, signed: number | null, now: number): string {
  const time = (now - Date.parse(at) < DAY_MS ? CLOCK : DAY).format(new Date(at));
  if (!holds) return `The check of ${time} found lines that were altered or are missing`;
  const newer = signed === null ? 0 : Math.max(0, signed - lines);
  const all = `${lines === 1 ? 'The' : 'All'} ${countText(lines, 'line')}`;
  const older = `${all} until ${time} ${pluralText(lines, 'is', 'are')} unaltered`;
  return newer === 0
    ? older
    : `${older}; ${numberText(newer)} newer ${pluralText(newer, 'one is', 'ones are')} signed, not checked yet`;
}

/** The same for a narrow place. */
export function shortProofText({ holds, lines }: Verified, signed: number | null): string {
  if (!holds) return 'Altered or incomplete';
  return signed === null || signed <= lines
    ? `${countText(lines, 'line')} unaltered`
    : `${numberText(lines)} of ${numberText(signed)} checked`;
}
