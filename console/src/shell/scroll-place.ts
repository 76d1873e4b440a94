import { useRouter, useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useLayoutEffect } from 'react';
import { forgetAhead, placeInHistory, recall, remember } from '../ui/leaving/entry-memory.js';

interface Place {
  readonly path: string;
  readonly top: number;
}

/** Rows may come later than their screen; after this time the person has found their own place. */
const RESTORE_FOR_MS = 5_000;

/** A screen opens at its top, and a way back to it at the place where it was left. */
export function useScrollPlace(box: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  const entry = useRouterState({
    select: ({ resolvedLocation }) => resolvedLocation && placeInHistory(resolvedLocation),
  });
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => forgetAhead(router.history), [router]);
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
        if (!fromLocation || !box.current) return;
        const place: Place = { path: fromLocation.pathname, top: box.current.scrollTop };
        remember(placeInHistory(fromLocation), 'place', place);
      }),
    [router, box],
  );
  useLayoutEffect(() => {
    if (!box.current || entry === undefined || path === undefined) return undefined;
    const place = recall(entry, 'place') as Place | undefined;
    return scrollWhenPossible(box.current, place?.path === path ? place.top : 0);
  }, [box, entry, path]);
}

/** @returns gives up */
function scrollWhenPossible(box: HTMLElement, top: number): () => void {
  const stop = new AbortController();
  const content = new MutationObserver(() => scroll());
  const end = () => {
    stop.abort();
    content.disconnect();
  };
  const scroll = () => {
    box.scrollTop = top;
    if (box.scrollTop >= top - 1) end();
  };
  const timer = setTimeout(end, RESTORE_FOR_MS);
  stop.signal.addEventListener('abort', () => clearTimeout(timer));
  for (const event of ['wheel', 'pointerdown', 'keydown', 'touchmove'] as const)
    box.addEventListener(event, end, { signal: stop.signal, passive: true });
  content.observe(box, { childList: true, subtree: true });
  scroll();
  return end;
}
