import { knownServices, wordsOfService } from '../../../../../src/device-api/words/dictionary.js';
import { menuPlace, pathTitle } from '../../observed/path-words.js';
import { actTitle } from '../../access/approving/act-words.js';
import { type RememberedCall, type RememberedCalls } from '../remembered-calls.js';
import { LIVE_QUESTIONS } from './live-questions.js';

/* What can be asked of many devices: one searched list of reads in words, with what this person asked before. Pure. */

export interface Question {
  readonly key: string;
  readonly title: string;
  /** Beside the title: where the settings are in a router's menus, or which devices were asked. */
  readonly note: string;
  readonly method: string;
  readonly path: string;
  /** Of a remembered call, with its devices; undefined: those that are chosen stay. */
  readonly selector?: string;
  /** Other words by which it is found. */
  readonly words: string;
}

export interface QuestionGroup {
  readonly title: string;
  readonly questions: readonly Question[];
}

const STATES: readonly Question[] = LIVE_QUESTIONS.map(({ title, path, words }) => ({
  key: path,
  title,
  note: '',
  method: 'GET',
  path,
  words,
}));

/** Sections below a section of another service have no address of their own. */
const SETTINGS: readonly Question[] = knownServices()
  .filter((name) => !name.includes('{'))
  .map((name) => {
    const path = name.endsWith('/global') ? `/api/${name}` : `/api/${name}/config`;
    const { title, help = '' } = wordsOfService(name);
    return { key: path, title, note: menuPlace(path) ?? '', method: 'GET', path, words: `settings ${name} ${help}` };
  });

/** A read by its title in the list; another call by what it does. */
export function questionTitle({ method, path }: Pick<RememberedCall, 'method' | 'path'>): string {
  const isRead = method === 'GET';
  const state = isRead && STATES.find((one) => one.path === path);
  if (state) return state.title;
  const settings = isRead && SETTINGS.find((one) => one.path === path);
  if (settings) return `Settings: ${pathTitle(path)}`;
  return actTitle([{ method, path }], null).replace(/(?: (?:of|on|to|from))? some devices$/, '');
}

const remembered = (call: RememberedCall): Question => ({
  key: `${call.method} ${call.path} ${call.selector}`,
  title: questionTitle(call),
  note: call.selector,
  ...call,
  words: '',
});

/** All that can be asked, those that this person asked before first. */
export function questionGroups({ favourites, last }: RememberedCalls): readonly QuestionGroup[] {
  const marked = favourites.map(remembered);
  const others = last.map(remembered).filter(({ key }) => marked.every((one) => one.key !== key));
  return [
    { title: 'Favourites', questions: marked },
    { title: 'Last calls', questions: others },
    { title: 'State now', questions: STATES },
    { title: 'Settings', questions: SETTINGS },
  ].filter(({ questions }) => questions.length > 0);
}

/** Those with all these words, in their title, their place or their path. */
export function foundQuestions(groups: readonly QuestionGroup[], text: string): readonly QuestionGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  const has = (question: Question): boolean => {
    const all = `${question.title} ${question.note} ${question.path} ${question.words}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map(({ title, questions }) => ({ title, questions: byTitle(questions.filter(has), words) }))
    .filter(({ questions }) => questions.length > 0);
}

/** Those whose title begins with a word come first, then those whose title has one, then the others. */
function byTitle(questions: readonly Question[], words: readonly string[]): readonly Question[] {
  const rankOf = ({ title }: Question): number => {
    const text = title.toLowerCase();
    if (words.some((word) => text.startsWith(word))) return 0;
    return words.some((word) => text.includes(word)) ? 1 : 2;
  };
  return questions.toSorted((one, other) => rankOf(one) - rankOf(other));
}
