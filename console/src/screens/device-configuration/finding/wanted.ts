import { type RefObject, useEffect } from 'react';
import { type SearchText, useSearchText } from '../../../ui/to.js';
import { type Wanted } from './found-options.js';

/** The address of a setting: its service opens at it. */
export const wantedSearch = ({ path, section, option }: Wanted): SearchText => ({
  service: path,
  part: undefined,
  section: section ?? undefined,
  option: option ?? undefined,
});

/** Whether the address asks for this section, or for the only one. */
export function isWantedSection(search: SearchText, id: unknown): boolean {
  return search['section'] !== undefined && search['section'] === id;
}

/** The option of this section that the address asks for; null: none. @param isOnly the service has one section */
export function useWantedOption(id: unknown, isOnly: boolean): string | null {
  const [search] = useSearchText();
  const { section, option } = search;
  return option !== undefined && (section === undefined ? isOnly : section === id) ? option : null;
}

/** Brings the field of an option to the middle of the screen, with the focus in it. Once: a person may go on from there. */
export function useFocusOption(form: RefObject<HTMLElement | null>, option: string | null): void {
  useEffect(() => {
    if (option === null) return;
    const place = form.current?.querySelector(`[data-option="${CSS.escape(option)}"]`);
    for (let around = place?.closest('details'); around; around = around.parentElement?.closest('details'))
      around.open = true;
    place?.scrollIntoView({ block: 'center' });
    place?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
  }, [form, option]);
}
