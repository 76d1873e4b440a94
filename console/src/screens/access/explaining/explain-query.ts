import { queryOptions } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { type Question } from './answer-text.js';
import type { paths } from '../../../../../src/api-client/openapi.js';
import { KEYS } from '../../../api/keys/query-keys.js';

type Query = NonNullable<paths['/v1/rights/explain']['get']['parameters']['query']>;

/** Asks the gateway for the rules that decide. It refuses a wrong text of the address, and says so. */
export const explainQuery = (question: Question) => {
  const query = Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined)) as Query;
  return queryOptions({
    queryKey: KEYS.rights.explained(query),
    queryFn: ({ signal }): Promise<Schema<'RightExplained'>> =>
      api.get('/v1/rights/explain', { params: { query }, signal }),
  });
};
