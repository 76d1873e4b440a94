import { useQuery } from '@tanstack/react-query';
import { summaryQuery } from '../../api/queries.js';

/** How many devices of a selector do not answer now, beside those that a lock keeps calls from; undefined: not known. */
export function useUnreachable(selector: string | null): number | undefined {
  const { data } = useQuery({
    ...summaryQuery({ selector: `(${selector}) & state:offline & !lock:any`, by: 'state' }),
    enabled: selector !== null,
  });
  return data?.devices;
}
