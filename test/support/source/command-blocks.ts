import { readFileSync } from 'node:fs';

/* The blocks of commands in pages, and how each of them is run. */

export interface CommandBlock {
  /** Such as `README.md:42`. */
  readonly at: string;
  readonly text: string;
  /** Why it is not run; null when it is. */
  readonly leftOut: string | null;
  /** What it prints when it has started, and then runs on; null when it ends. */
  readonly staysAfter: string | null;
}

/**
 * The `sh` blocks of a page in their order. A comment on the line before a block says how it is run: `<!-- not run: reason -->`,
 * or `<!-- stays: text -->` for a program in the foreground that prints this text when it has started.
 */
export function commandBlocks(page: string): CommandBlock[] {
  const lines = readFileSync(page, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (line !== '```sh') return [];
    const end = lines.indexOf('```', index);
    const mark = lines[index - 1] ?? '';
    const after = (word: string) =>
      mark.startsWith(`<!-- ${word}: `) ? mark.slice(word.length + 7, -' -->'.length) : null;
    const text = lines.slice(index + 1, end).join('\n');
    return [{ at: `${page}:${index + 1}`, text, leftOut: after('not run'), staysAfter: after('stays') }];
  });
}

/** Values that a reader puts in the place of what the page shows, such as `fg_…` by their key. */
export type Replacements = Readonly<Record<string, string>>;

/** A bash script of the blocks, with the place of each in its error output. */
export function scriptOf(blocks: readonly CommandBlock[], replacements: Replacements): string {
  const parts = blocks.filter(({ leftOut }) => leftOut === null).map((block) => partOf(block, replacements));
  return [PRELUDE, ...parts].join('\n');
}

/**
 * `takes_up` waits for the first words of a program that stays, and shows what it said when it ends before. `key_written`
 * waits for the API key in an answer: a terminal passes on what is written a moment later.
 */
const PRELUDE = `set -eEmo pipefail
shopt -s expand_aliases
trap 'echo "FAILED at $BLOCK"' ERR
trap 'code=$?; end_all; exit $code' EXIT
end_all() {
  local job all=$(jobs -p)
  for job in $all; do kill -TERM -- -$job || true; done
  wait || true
  # The first process of a job ends at once, the gateway when its database has: a folder that is removed earlier is written to.
  for job in $all; do while kill -0 -- -$job 2>/dev/null; do sleep 0.1; done; done
}
takes_up() {
  until grep -qF -- "$1" "$2"; do
    if ! kill -0 "$3" 2>/dev/null; then cat "$2"; return 1; fi
    sleep 0.2
  done
  TOKEN=$(grep -oE 'setup_[A-Za-z0-9_-]+' "$2" | head -n 1 || true)
}
key_written() {
  until grep -qE 'fg_[A-Za-z0-9_-]+"' "$BLOCK_OUT"; do sleep 0.1; done
  grep -oE 'fg_[A-Za-z0-9_-]+' "$BLOCK_OUT" | tail -n 1
}`;

function partOf({ at, text, staysAfter }: CommandBlock, replacements: Replacements): string {
  let filled = text;
  for (const [shown, value] of Object.entries(replacements)) filled = filled.replaceAll(shown, value);
  const begin = `BLOCK=${at}; echo "--- $BLOCK"`;
  if (staysAfter === null) return `${begin}\n${filled}`;
  const log = `"$BLOCK_LOGS/${at.replaceAll(/[^\w.]/g, '-')}"`;
  return `${begin}\n{\n${filled}\n} >${log} 2>&1 </dev/null &\ntakes_up '${staysAfter}' ${log} $!`;
}
