/* The names in an expression of PromQL. Whether it is one, `promtool check rules` says. */

export interface PromqlNames {
  /** Each metric with the labels that are matched there. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels of `by`, `on`, and the like. */
  readonly groups: readonly string[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|[{}(),]|[=!<>~]+|\s+|./gs;
const NAME = /^[a-zA-Z_:]/;

/** Words before a list of labels. */
const BEFORE_LABELS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set([...BEFORE_LABELS, 'and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

export function promqlNames(expression: string): PromqlNames {
  const tokens = expression.match(TOKEN)!.filter((token) => token.trim() !== '');
  const metrics: { name: string; labels: string[] }[] = [];
  const groups: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const next = tokens[at + 1];
    if (token === '{') at = readUntil('}', tokens, at, metrics.at(-1)!.labels);
    else if (BEFORE_LABELS.has(token) && next === '(') at = readUntil(')', tokens, at + 1, groups);
    // A function, or an aggregation with its labels first.
    else if (!NAME.test(token) || WORDS.has(token) || next === '(' || BEFORE_LABELS.has(next ?? '')) continue;
    else metrics.push({ name: token, labels: [] });
  }
  return { metrics, groups };
}

/** Adds the names of a list to others. @returns where the list ends */
function readUntil(end: string, tokens: readonly string[], begin: number, names: string[]): number {
  const to = tokens.indexOf(end, begin);
  names.push(...tokens.slice(begin, to).filter((token) => NAME.test(token)));
  return to;
}
