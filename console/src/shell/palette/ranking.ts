/* How well a text is what a person typed. Pure. */

const SCORES = { same: 100, begins: 80, wordBegins: 60, contains: 40, words: 50, letters: 20 } as const;

/** Of one typed word that is a word of the text, begins one, or differs from its beginning by a slip of the finger. */
const WORD = { same: 1, begins: 0.8, slip: 0.4 } as const;

/** The most letters of a text that are looked at: names of devices and rollouts are as long as anyone makes them. */
const LETTERS_MAX = 200;

/** The most words that are typed and looked at. */
const WORDS_MAX = 8;

/** So many times longer a text may be than its letters that are typed: a sentence has any letters in any order. */
const SPREAD_MAX = 4;

/** A shorter word is too near to too many others. */
const SLIP_MIN = 4;

/**
 * @param words further words for the same thing; they count for less than the text itself
 * @returns more for a better match; 0: it does not match
 */
export function scoreOf(typed: string, text: string, words = ''): number {
  const wanted = typed.trim().toLowerCase().slice(0, LETTERS_MAX);
  if (wanted === '') return 1;
  const [title, others] = [text.toLowerCase().slice(0, LETTERS_MAX), words.toLowerCase()];
  return Math.max(
    scoreOfText(wanted, title),
    scoreOfText(wanted, others) / 2,
    scoreOfWords(wanted, title, others),
    hasLetters(wanted, title) ? SCORES.letters : 0,
  );
}

function scoreOfText(wanted: string, text: string): number {
  if (text === '') return 0;
  if (text === wanted) return SCORES.same;
  if (text.startsWith(wanted)) return SCORES.begins;
  const at = text.indexOf(wanted);
  if (at < 0) return 0;
  return at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!) ? SCORES.contains : SCORES.wordBegins;
}

/** Each typed word alone, in any order. Two that follow each other may be one: `back up` is `backup`. */
function scoreOfWords(wanted: string, title: string, others: string): number {
  const typed = wordsOf(wanted).slice(0, WORDS_MAX);
  const joined = typed
    .slice(1)
    .map((_, at) => [...typed.slice(0, at), typed[at]! + typed[at + 1]!, ...typed.slice(at + 2)]);
  const inTitle = withPairs(wordsOf(title));
  const inOthers = withPairs(wordsOf(others));
  const scoreOfWord = (word: string) => Math.max(best(word, inTitle), best(word, inOthers) / 2);
  return Math.max(0, ...[typed, ...joined].map((words) => mean(words.map(scoreOfWord)))) * SCORES.words;
}

/** A word of one letter, such as an article, says nothing beside others; a figure of an address does. */
function wordsOf(text: string): readonly string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const long = words.filter((word) => word.length > 1 || /\p{N}/u.test(word));
  return long.length > 0 ? long : words;
}

const withPairs = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.slice(1).map((word, at) => words[at]! + word),
];

/** 0 where one of them is. */
const mean = (scores: readonly number[]): number =>
  scores.length === 0 || scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;

const best = (word: string, among: readonly string[]): number =>
  among.reduce((most, one) => Math.max(most, scoreOfPair(word, one)), 0);

function scoreOfPair(word: string, known: string): number {
  if (word === known) return WORD.same;
  if (known.startsWith(word)) return WORD.begins;
  return isSlip(word, known.slice(0, word.length)) ? WORD.slip : 0;
}

/** Whether two words of one length differ by one letter behind the first, or by two neighbours that are swapped. */
function isSlip(word: string, known: string): boolean {
  if (word.length < SLIP_MIN || word.length !== known.length) return false;
  let at = 0;
  while (at < word.length && word[at] === known[at]) at++;
  const isSwapped = word[at] === known[at + 1] && word[at + 1] === known[at];
  if (isSwapped) return word.slice(at + 2) === known.slice(at + 2);
  return at > 0 && word.slice(at + 1) === known.slice(at + 1);
}

/** Whether a text has these letters in this order, as `vlnpump` is in `vilnius-pump-01`. Two letters are in too many texts. */
function hasLetters(wanted: string, text: string): boolean {
  if (wanted.length < 3 || text.length > wanted.length * SPREAD_MAX) return false;
  let at = 0;
  for (const letter of text) if (letter === wanted[at]) at++;
  return at === wanted.length;
}
