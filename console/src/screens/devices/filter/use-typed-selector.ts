import { useEffect, useState } from 'react';
import { type ApiError } from '../../../api/client.js';
import { isRefused } from '../../../api/problems.js';
import { queries, summaryQuery } from '../../../api/queries.js';
import { useSearchText } from '../../../ui/to.js';
import { FACETS } from '../device-rows.js';
import { isUnfinished } from './unfinished.js';

interface TypedSelector {
  readonly text: string;
  /** The selectors of the address over which it was typed. Another one, of a facet or a view, takes its place. */
  readonly over: readonly string[];
  /** The person has ended it, by Enter or by leaving the field: what is wrong is said now. */
  readonly isEnded: boolean;
}

/** While a person types, the pauses are longer than this. */
const CHECK_AFTER_MS = 250;

/**
 * The selector of the address, and the one that is being typed: it reaches the address, and with it the list, only when the
 * gateway can read it. Until then the list stays as it is.
 */
export function useTypedSelector() {
  const [{ selector = '', q }, change] = useSearchText();
  const [typed, setTyped] = useState<TypedSelector | null>(null);
  const [refused, setRefused] = useState<{ text: string; error: ApiError } | null>(null);
  const own = typed?.over.includes(selector) ? typed : null;
  const text = own?.text ?? selector;
  const setText = (next: string, isEnded = false) => setTyped({ text: next, over: own?.over ?? [selector], isEnded });
  const isWaiting = own !== null && text !== selector && (own.isEnded || !isUnfinished(text));
  const isEnded = own?.isEnded ?? false;
  useEffect(() => {
    if (!isWaiting) return undefined;
    let isCurrent = true;
    const check = async () => {
      const error = await refusalOf(text, q);
      if (!isCurrent) return;
      setRefused(error && { text, error });
      if (error) return;
      setTyped((now) => now && { ...now, over: [...now.over, text] });
      change({ selector: text || undefined, row: undefined, pages: undefined });
    };
    const timer = setTimeout(() => void check(), isEnded ? 0 : CHECK_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isWaiting, isEnded, text, q, change]);
  const refusal = refused?.text === text ? refused.error : null;
  return { text, setText, isTyped: text !== selector, refusal };
}

/** What the gateway has against a selector. The answer of one that it can read is what the list shows next. */
async function refusalOf(text: string, q: string | undefined): Promise<ApiError | null> {
  if (text.trim() === '') return null;
  const asked = summaryQuery({ ...(q ? { q } : {}), selector: text, by: FACETS });
  try {
    await queries.fetchQuery({ ...asked, staleTime: 5_000 });
    return null;
  } catch (error) {
    return isRefused(error, 'invalid_selector') ? error : null; // anything else is shown by the list
  }
}
