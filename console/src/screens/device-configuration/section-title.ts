import { titleOfSection } from '../../../../src/device-api/words/section-words.js';
import { type Section } from './section-values.js';
import { type Service } from './services.js';

/** A section with its title; its id, where others have the same title. */
export interface TitledSection {
  readonly section: Section;
  readonly title: string;
  readonly id: string | null;
}

const idOf = ({ id }: Section): string | null => (typeof id === 'string' && id !== '' ? id : null);

/** @param sections all of the service, since some titles have their place */
export function titledSections({ name }: Service, sections: readonly Section[]): readonly TitledSection[] {
  const titles = sections.map((section, at) => titleOfSection(name, section, at));
  const first = new Map(titles.map((title, at) => [title, at] as const).toReversed());
  const double = new Set(titles.filter((title, at) => first.get(title) !== at));
  return sections.map((section, at) => {
    const title = titles[at] ?? '';
    return { section, title, id: double.has(title) ? idOf(section) : null };
  });
}

/** What the device calls it, as a hint. */
export const codeName = (section: Section): string | undefined => idOf(section) ?? undefined;

/** Whether it is switched on; null where it has no switch. */
export function isSwitchedOn(section: Section): boolean | null {
  const value = section['enabled'] ?? section['enable'] ?? section['enable_dhcpv4'];
  return value === '1' ? true : value === '0' ? false : null;
}

/** The noun with the title: "the port forward camera", and "Rule 3: Allow-Ping" as it is. */
export const sectionText = (one: string, title: string): string =>
  title.toLowerCase().startsWith(`${one} `) ? title : `the ${one} ${title}`;
