/* A list that is drawn again at the same place of a terminal. */

const HOME = '\u001b[H';
const END_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/**
 * The text that draws lines over what the terminal shows, and a note below them. Nothing is cleared before, so nothing flickers.
 * @param height lines of the terminal; what does not fit is counted
 */
export function drawnOver(lines: readonly string[], note: string, height: number): string {
  const room = height - 2; // the note, and the line of the cursor
  const left = lines.length - room;
  const shown = left > 0 ? [...lines.slice(0, room - 1), `… and ${left + 1} more lines`] : lines;
  return `${HOME}${[...shown, note].map((line) => `${line}${END_OF_LINE}\n`).join('')}${REST_OF_SCREEN}`;
}
