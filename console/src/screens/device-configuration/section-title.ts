import { type Section } from './section-values.js';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a section is called: its name where it has one, otherwise its id. */
export const sectionTitle = (section: Section): string =>
  textOf(section['name']) ||
  textOf(section['ssid']) ||
  textOf(section['username']) ||
  textOf(section['hostname']) ||
  textOf(section['description']) ||
  textOf(section['id']) ||
  'Without an id';

/** Its id, where the title is another one. */
export const sectionId = (section: Section): string | null => {
  const id = textOf(section['id']);
  return id !== '' && id !== sectionTitle(section) ? id : null;
};

/** Whether it is switched on; null where it has no switch. */
export function isSwitchedOn(section: Section): boolean | null {
  const value = section['enabled'] ?? section['enable'] ?? section['enable_dhcpv4'];
  return value === '1' ? true : value === '0' ? false : null;
}
