import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ownPath } from '../api/own-path.js';
import { mayChangeAddress } from './leaving/unsaved.js';
import { useInLine } from './rows/narrow.js';

/* Addresses of screens. The state of a screen stands in its address, as plain text: it survives a reload and a pasted link. */

export type SearchText = Readonly<Record<string, string | undefined>>;

interface ToProps {
  /** Below /console, such as `/devices/0192…`. */
  to: string;
  search?: SearchText;
  className?: string | undefined;
  title?: string | undefined;
  role?: string;
  tabIndex?: number;
  /** Of a link that looks like a button. */
  'data-kind'?: 'primary';
  children: ReactNode;
}

/** A link to a screen; its text alone in the line of a row that opens as a whole. */
export function To({ to, search = {}, ...rest }: ToProps): ReactNode {
  const isText = useInLine();
  if (isText)
    return (
      <span className={rest.className} title={rest.title}>
        {rest.children}
      </span>
    );
  return <Link to={to} search={search} {...rest} />;
}

/** It stands within sentences, where its colour alone would not tell it from them. */
const UNDERLINED = { textDecoration: 'underline' } as const;

/** Leads to a document of the project, which the gateway serves. @param of below /docs, such as `reference/jobs` */
export function DocLink({ of, children }: { of: string; children: ReactNode }): ReactNode {
  return (
    <a href={ownPath(`/docs/${of}`)} target="_blank" rel="noreferrer" style={UNDERLINED}>
      {children}
    </a>
  );
}

/** Opens a screen. */
export function useGo(): (to: string, search?: SearchText) => void {
  const navigate = useNavigate();
  return useCallback(
    (to: string, search: SearchText = {}) => {
      if (mayChangeAddress()) void navigate({ to, search });
    },
    [navigate],
  );
}

/** The texts behind the question mark, and a function that changes some of them; undefined removes one. */
export function useSearchText(): [SearchText, (change: SearchText) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: SearchText) => {
      if (mayChangeAddress())
        void navigate({ to: '.', search: (before: object) => ({ ...before, ...changed }), replace: true });
    },
    [navigate],
  );
  return [search as SearchText, change];
}

/**
 * Whether the form of a new one is open. It stands in the address as `add=yes`, so a link opens it, too.
 * @param may whether the person may make one: else the address opens nothing
 */
export function useAddForm(may: boolean): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [{ add }, change] = useSearchText();
  const setOpen = useCallback((isOpen: boolean) => change({ add: isOpen ? 'yes' : undefined }), [change]);
  return [may && add === 'yes', setOpen];
}

/** Typing does not wait for the address, nor for the list. */
const WRITE_AFTER_MS = 150;

const NOTHING: SearchText = {};

/**
 * A text of the address that is typed: the field has it at once, and the address when the typing pauses.
 * @param also changes with it, such as the place in the list; keep it the same between two renderings
 */
export function useAddressText(name: string, also = NOTHING): [string, (text: string) => void] {
  const [search, change] = useSearchText();
  const inAddress = search[name] ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const [written, setWritten] = useState<string | null>(null);
  // Until the address has it, the field keeps what was typed: the way there takes a moment, in which more is typed.
  if (typed !== null && typed === written && typed === inAddress) {
    setTyped(null);
    setWritten(null);
  }
  useEffect(() => {
    if (typed === null || typed === written) return undefined;
    const timer = setTimeout(() => {
      setWritten(typed);
      change({ ...also, pages: undefined, [name]: typed === '' ? undefined : typed });
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed, written, name, also, change]);
  return [typed ?? inAddress, setTyped];
}
