import { type RefObject, useEffect, useSyncExternalStore } from 'react';

/*
 * What people have typed and not saved. Each form is registered here, and one question guards all ways out of it: another
 * screen, Back, Escape, the buttons that close a dialog, and (by the browser's own question) the tab. A form is asked about
 * only while its fields differ from what they were before the person touched them.
 */

interface Draft {
  /** Where its fields are; null: not in a dialog. */
  readonly box: HTMLElement | null;
  isChanged: () => boolean;
}

export interface LeaveAnswer {
  answer: (isLeaving: boolean) => void;
}

const drafts = new Set<Draft>();
const watchers = new Set<() => void>();
let question: LeaveAnswer | null = null;
let isDone = false;
let isElsewhere = false;

/** @param within only forms in this element; absent: all */
export const hasUnsaved = (within?: HTMLElement | null): boolean =>
  [...drafts].some(({ box, isChanged }) => (!within || within.contains(box)) && isChanged());

/** The screen and the tab that the person has before them, without what else stands in the address. */
export function placeNow(): string {
  const { pathname, search } = window.location;
  return `${pathname} ${new URLSearchParams(search).get('tab') ?? ''}`;
}

/**
 * What an action that has succeeded opens or closes is not asked about. A person who has opened another screen since the action began
 * stays there.
 * @param begunAt the place where the action began
 */
export function leaveFreely(begunAt: string, run: () => void): void {
  isDone = true;
  isElsewhere = placeNow() !== begunAt;
  try {
    run();
  } finally {
    isDone = false;
    isElsewhere = false;
  }
}

/** Whether an address may change now: an action that ends changes only that of the screen where it began. */
export const mayChangeAddress = (): boolean => !isElsewhere;

/** Asks, where something would be lost. @param within only forms in this element; absent: all */
export async function mayLeave(within?: HTMLElement | null): Promise<boolean> {
  if (isDone || !hasUnsaved(within)) return true;
  return new Promise((resolve) => {
    question?.answer(false);
    const answer = (isLeaving: boolean) => {
      ask(null);
      resolve(isLeaving);
    };
    ask({ answer });
  });
}

function ask(asked: LeaveAnswer | null): void {
  question = asked;
  for (const watcher of watchers) watcher();
}

/** The question that waits for an answer. */
export const useLeaveQuestion = (): LeaveAnswer | null =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => question,
  );

function register(draft: Draft): () => void {
  drafts.add(draft);
  return () => void drafts.delete(draft);
}

/** Guards the fields below an element. @param isOff what is typed there is no work, such as a name that confirms */
export function useUnsavedFields(box: RefObject<HTMLElement | null>, isOff = false): void {
  useEffect(() => {
    if (isOff || !box.current) return undefined;
    const watch = watchFields(box.current);
    const forget = register({ box: box.current, isChanged: watch.isChanged });
    return () => {
      watch.stop();
      forget();
    };
  }, [box, isOff]);
}

/** Guards a form that itself knows whether it was changed. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => (isChanged ? register({ box: null, isChanged: () => true }) : undefined), [isChanged]);
}

/** Events that come before a person changes a field, and those that come after it. */
const BEFORE = ['focusin', 'pointerdown', 'keydown', 'beforeinput'] as const;
const AFTER = ['input', 'change'] as const;

/** Fields may also change while choices are read: until the person touches them, what they are now is what is saved. */
function watchFields(box: HTMLElement): { isChanged: () => boolean; stop: () => void } {
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  let saved = valuesOf(box);
  let isTouched = false;
  const before = () => {
    if (!isTouched) saved = valuesOf(box);
  };
  const after = () => void (isTouched ||= valuesOf(box) !== saved);
  for (const event of BEFORE) box.addEventListener(event, before, options);
  for (const event of AFTER) box.addEventListener(event, after, options);
  // A field that a click adds or removes is there a moment later.
  box.addEventListener('click', () => setTimeout(after), options);
  return { isChanged: () => isTouched && valuesOf(box) !== saved, stop: () => listening.abort() };
}

const FIELDS = 'input:not([type="search"]), select, textarea';

const valuesOf = (box: HTMLElement): string =>
  JSON.stringify([...box.querySelectorAll<HTMLInputElement>(FIELDS)].map(({ value, checked }) => [value, checked]));
