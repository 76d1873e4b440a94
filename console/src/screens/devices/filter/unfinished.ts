/* Whether a selector is still being typed. The gateway judges the others (docs/reference/selectors.md). */

const SIGNS = '&|!()';

/** Whether more must follow: an operator without a value, an open bracket or quote, or a word that is no term yet. */
export function isUnfinished(selector: string): boolean {
  let [depth, isQuoted] = [0, false];
  let term = '';
  for (let at = 0; at < selector.length; at++) {
    const sign = selector.charAt(at);
    if (isQuoted) {
      if (sign === '\\') at++;
      else if (sign === '"') isQuoted = false;
      continue;
    }
    if (sign === '"') isQuoted = true;
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    term = SIGNS.includes(sign) ? (sign === ')' ? 'all' : '') : term + sign;
  }
  return isQuoted || depth > 0 || (selector.trim() !== '' && !isTerm(term.trim()));
}

const isTerm = (text: string): boolean => text === 'all' || /^@./.test(text) || /[:=<>]\s*[^\s:=<>]/.test(text);
