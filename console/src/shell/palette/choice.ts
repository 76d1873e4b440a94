import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { type Target } from './actions.js';

/* One thing that the palette offers, and the sections of them. */

export interface Choice {
  readonly id: string;
  readonly title: string;
  /** What it is, where its title and its section do not say it: kind, site, address. */
  readonly about?: string;
  readonly beside?: ReactNode;
  readonly to: Target;
  /** 0: the way to all of a section, which is not remembered. */
  readonly score: number;
}

export interface Section {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** Choices of one section. */
const SHOWN_MAX = 7;

/** Devices that a search is asked for; the best of them are shown. */
export const DEVICES_MAX = 50;

export const choice = (
  id: string,
  title: string,
  to: Target,
  score: number,
  beside?: ReactNode,
  about: readonly (string | null | undefined)[] = [],
): Choice => ({
  id,
  title,
  to,
  score,
  beside,
  about: about.filter(Boolean).join(' · '),
});

/** @param list where all of them are @returns the section with its best choices, and the way to the others */
export function section(title: string, all: readonly Choice[], list?: string): Section {
  const choices = all.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  if (title === 'Screens' || title === 'Actions') return { title, choices };
  const more = choices.length - SHOWN_MAX;
  const rest = list && more > 0 ? [choice(`more ${title}`, moreText(more, choices.length), list, 0)] : [];
  return { title, choices: [...choices.slice(0, SHOWN_MAX), ...rest] };
}

/** A search has no more than so many answers: then there may be more than it says. */
const moreText = (more: number, of: number): string =>
  of >= DEVICES_MAX ? 'All that match' : `${numberText(more)} more`;
