/*
 * How deep and how rich a text of YAML is, before it is parsed. Measured with `yaml` 2.9 on a megabyte: brackets that open one another
 * took all memory of the process, and marks `&a` one after another took minutes.
 */

/** A list in an option of an item in a template is 6 deep. */
const DEPTH_MAX = 32;

/** Anchors, aliases and tags, of which a file of a person has few. */
const MARKS_MAX = 100;

const DOCUMENTS_MAX = 1_000;

/** @returns the line from which it is too much, and why; null for what may be parsed */
export async function excessIn(content: string): Promise<{ readonly line: number; readonly text: string } | null> {
  const { Lexer, CST } = await import('yaml');
  const tooDeep = { text: `nested deeper than ${DEPTH_MAX}: a template is not` };
  const seen = { open: 0, onLine: 0, marks: 0, documents: 0 };
  let line = 1;
  for (const token of new Lexer().lex(content)) {
    const type = CST.tokenType(token);
    if (type === 'flow-seq-start' || type === 'flow-map-start') seen.open++;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') seen.open = Math.max(0, seen.open - 1);
    else if (type === 'anchor' || type === 'alias' || type === 'tag') seen.marks++;
    else if (type === 'doc-start') seen.documents++;
    else if (seen.open === 0 && (type === 'seq-item-ind' || type === 'explicit-key-ind')) seen.onLine++;
    const newLines = token.split('\n').length - 1;
    line += newLines;
    if (newLines > 0) seen.onLine = 0;
    if (seen.open > DEPTH_MAX || seen.onLine > DEPTH_MAX) return { line, ...tooDeep };
    if (seen.marks > MARKS_MAX) return { line, text: `more than ${MARKS_MAX} anchors, aliases and tags` };
    if (seen.documents > DOCUMENTS_MAX) return { line, text: `more than ${DOCUMENTS_MAX} templates` };
  }
  const deep = tooFarIn(content);
  return deep === null ? null : { line: deep, ...tooDeep };
}

/** The line that is indented within too many others. */
function tooFarIn(content: string): number | null {
  const around: number[] = [];
  for (const [at, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const indent = line.search(/[^ ]/);
    while (around.length > 0 && around.at(-1)! >= indent) around.pop();
    if (around.push(indent) > DEPTH_MAX) return at + 1;
  }
  return null;
}
