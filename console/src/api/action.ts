import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormKeys, lastRequestId, withKeys } from './client.js';
import { useCallback, useRef, useState } from 'react';
import { isRefused, tell } from './problems.js';
import { isSessionEnded, signInAgain } from './session-end.js';
import { showSecondFactor } from '../shell/second-factor.js';
import { toast, type ToastLink } from '../shell/toasts.js';
import { leaveFreely, placeNow } from '../ui/leaving/unsaved.js';

/** The same content this soon after its success is a double click: it keeps its key, and the gateway does it once. */
const DOUBLE_CLICK_MS = 1_000;

/** What has changed is read before a form closes, so that the next one starts from it; a slow gateway keeps nobody longer. */
const READ_WITHIN_MS = 5_000;

export interface ActionOptions<Given, Result> {
  /** Sends the request. */
  run: (given: Given) => Promise<Result>;
  /** What to say when it is done, such as "Device removed"; null: the screen itself shows what came of it. */
  done: string | ((result: Result, given: Given) => string) | null;
  /** Where the person finds what was made, as a link in the toast; null: nowhere. Absent where the screen opens it itself. */
  opens?: (result: Result, given: Given) => ToastLink | null;
  /** Whether what was done had the effect that the person wants. Absent: it always has. */
  isGood?: (result: Result) => boolean;
  /** Nouns whose lists and objects are read again, such as `jobs`. */
  refreshes?: readonly string[];
  after?: (result: Result, given: Given) => void;
  /** The form shows the error itself. */
  quiet?: boolean;
}

/**
 * A change by a person: asks for a second factor where the gateway wants one, and for a sign-in where the session has ended,
 * then sends it again; tells the result with the id of its request; reads what has changed, and then goes on with `after`, which opens
 * no screen for a person who has opened another one. While one
 * is sent, another `mutate` does nothing: a second click comes before the button is drawn as busy. What is sent again unchanged after a failure
 * has the same Idempotency-Key.
 */
export function useAction<Given = void, Result = unknown>(options: ActionOptions<Given, Result>) {
  const client = useQueryClient();
  const isSending = useRef(false);
  const begunAt = useRef('');
  const [keys] = useState(() => new FormKeys());
  const runOnce = (given: Given) => withKeys(keys, () => options.run(given));
  const run = async (given: Given) => {
    try {
      return await runOnce(given);
    } catch (error) {
      if (!isSessionEnded(error) || !(await signInAgain())) throw error;
      return runOnce(given);
    }
  };
  const action = useMutation<Result, unknown, Given>({
    mutationFn: async (given) => {
      try {
        return await run(given);
      } catch (error) {
        if (!isRefused(error, 'step_up_required')) throw error;
        await showSecondFactor(error);
        return run(given);
      }
    },
    onSettled: () => void (isSending.current = false),
    onSuccess: async (result, given) => {
      isSending.current = false;
      setTimeout(() => keys.clear(), DOUBLE_CLICK_MS);
      const { done, isGood, opens, refreshes = [], after } = options;
      const requestId = lastRequestId();
      const tone = isGood?.(result) === false ? 'bad' : 'good';
      if (done !== null)
        toast({
          tone,
          title: typeof done === 'string' ? done : done(result, given),
          link: opens?.(result, given) ?? null,
          requestId,
        });
      const read = client.invalidateQueries({ predicate: ({ queryKey }) => refreshes.includes(String(queryKey[0])) });
      await Promise.race([read, new Promise((resolve) => setTimeout(resolve, READ_WITHIN_MS))]);
      leaveFreely(begunAt.current, () => after?.(result, given));
    },
    onError: (error) => {
      if (options.quiet) return;
      const { title, detail, requestId } = tell(error);
      toast({ tone: 'bad', title, detail, requestId });
    },
  });
  const { mutate: send } = action;
  const mutate = useCallback(
    (given: Given) => {
      if (isSending.current) return;
      isSending.current = true;
      begunAt.current = placeNow();
      send(given);
    },
    [send],
  );
  return { ...action, mutate };
}
