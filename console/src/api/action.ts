import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lastRequestId } from './client.js';
import { isRefused, tell } from './problems.js';
import { showSecondFactor } from '../shell/second-factor.js';
import { toast } from '../shell/toasts.js';

export interface ActionOptions<Given, Result> {
  /** Sends the request. */
  run: (given: Given) => Promise<Result>;
  /** What to say when it is done, such as "Device removed". */
  done: string | ((result: Result, given: Given) => string);
  /** Nouns whose lists and objects are read again, such as `jobs`. */
  refreshes?: readonly string[];
  after?: (result: Result, given: Given) => void;
  /** The form shows the error itself. */
  quiet?: boolean;
}

/**
 * A change by a person: asks for a second factor where the gateway wants one, then sends it again; tells the result with
 * the id of its request; reads what has changed.
 */
export function useAction<Given = void, Result = unknown>(options: ActionOptions<Given, Result>) {
  const client = useQueryClient();
  return useMutation<Result, unknown, Given>({
    mutationFn: async (given) => {
      try {
        return await options.run(given);
      } catch (error) {
        if (!isRefused(error, 'step_up_required')) throw error;
        await showSecondFactor(error);
        return options.run(given);
      }
    },
    onSuccess: (result, given) => {
      const { done, refreshes = [], after } = options;
      const requestId = lastRequestId();
      toast({ tone: 'good', title: typeof done === 'string' ? done : done(result, given), requestId });
      void client.invalidateQueries({ predicate: ({ queryKey }) => refreshes.includes(String(queryKey[0])) });
      after?.(result, given);
    },
    onError: (error) => {
      if (options.quiet) return;
      const { title, detail, requestId } = tell(error);
      toast({ tone: 'bad', title, detail, requestId });
    },
  });
}
