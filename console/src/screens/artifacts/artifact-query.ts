import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** One stored file, with the jobs that use it. */
export const artifactQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.artifacts.one(id),
    queryFn: ({ signal }) => api.get('/v1/artifacts/{artifactId}', { params: { path: { artifactId: id } }, signal }),
  });
