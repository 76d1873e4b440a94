import { wordsOfOption } from '../../../../../src/device-api/words/dictionary.js';
import { formOptions, linesOf, type Section, valueText } from '../section-values.js';
import { titledSections } from '../section-title.js';
import { isNested, type Service } from '../services.js';

/* The settings that have the words of a search: each option of a service, and where the device's sections are known, of each section. Pure. */

/** The setting that an address asks for. */
export interface Wanted {
  readonly path: string;
  /** The id of a section; null: any. */
  readonly section: string | null;
  readonly option: string | null;
}

export interface FoundOption extends Wanted {
  /** As “DHCP servers › LAN › Lease time”. */
  readonly title: string;
  /** What it is set to; null: not known, or not set. */
  readonly value: string | null;
}

/** Of so many services at most the values are read for one search. */
const SERVICES_MAX = 4;

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Shorter words are in too many names. */
const WORD_MIN = 3;

interface Match {
  readonly service: Service;
  readonly options: readonly string[];
}

/** The services with options that have the words: all words in the titles, one of them in that of the option. */
export function matchesOf(services: readonly Service[], words: readonly string[]): readonly Match[] {
  if (!words.some((word) => word.length >= WORD_MIN)) return [];
  const found = services
    .filter((service) => !isNested(service))
    .map((service) => ({
      service,
      options: service.options.map(({ name }) => name).filter((name) => hasOption(service, name, words)),
    }))
    .filter(({ options }) => options.length > 0);
  const nearest = (match: Match) => Math.min(...match.options.map((name) => titleOf(match.service, name).length));
  return found.toSorted((one, other) => nearest(one) - nearest(other)).slice(0, SERVICES_MAX);
}

const titleOf = ({ name }: Service, option: string): string => wordsOfOption(name, option).title;

function hasOption(service: Service, option: string, words: readonly string[]): boolean {
  const own = `${titleOf(service, option)} ${option}`.toLowerCase();
  const all = `${service.words.title.toLowerCase()} ${own}`;
  return words.every((word) => all.includes(word)) && words.some((word) => own.includes(word));
}

/** Those with a value first. @param sections what the device has, by path; absent: not read yet */
export function foundOptions(
  matches: readonly Match[],
  sections: ReadonlyMap<string, unknown> | undefined,
): readonly FoundOption[] {
  const found = matches.flatMap(({ service, options }) => {
    const { path, words } = service;
    const own = [sections?.get(path)].flat().filter(isSection);
    if (own.length === 0)
      return options.map((option) => ({
        path,
        section: null,
        option,
        title: `${words.title} › ${titleOf(service, option)}`,
        value: null,
      }));
    const one = (section: Section, name: string | null): readonly FoundOption[] =>
      options.map((option) => ({
        path,
        section: typeof section['id'] === 'string' && !service.isRecord ? section['id'] : null,
        option,
        title: [words.title, name, titleOf(service, option)].filter(Boolean).join(' › '),
        value: valueIn(service, section, option),
      }));
    if (service.isRecord) return one(own[0]!, null);
    return titledSections(service, own).flatMap(({ section, title, id }) =>
      one(section, id ? `${title} ${id}` : title),
    );
  });
  return [...found.filter(({ value }) => value !== null), ...found.filter(({ value }) => value === null)];
}

const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In words; a secret is not shown. */
function valueIn(service: Service, section: Section, option: string): string | null {
  const [field] = formOptions(
    { [option]: section[option], ...secretMark(section, option) },
    service.options,
    service.name,
  ).filter(({ name }) => name === option);
  if (!field || field.text === '' || field.isSecret) return null;
  return linesOf(field.text)
    .map((line) => valueText(field, line))
    .join(', ');
}

const secretMark = (section: Section, option: string): Section =>
  `${option}:set` in section ? { [`${option}:set`]: section[`${option}:set`] } : {};
