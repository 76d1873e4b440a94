import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { type ItemOf, type ListPaths, type ListPage } from '../../../src/api-client/operation-types.js';
import { api } from './client.js';
import { readNamesOf } from './names/device-names.js';

export interface List<Row> {
  readonly rows: readonly Row[];
  readonly error: unknown;
  readonly isLoading: boolean;
  /** When the rows were read, in milliseconds. */
  readonly readAt: number;
  /** How many pages were read. */
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  more: () => void;
  again: () => void;
}

export interface ListRequest {
  /** Begins with the noun of the rows, such as `jobs`. */
  readonly key: readonly unknown[];
  readonly query?: Readonly<Record<string, unknown>>;
  readonly path?: Readonly<Record<string, string>>;
  /** Milliseconds between two looks; absent: only events and returns to the page. */
  readonly every?: number;
  readonly enabled?: boolean;
  /** The rows have a `deviceId`, and appear together with the names of their devices. */
  readonly withDevices?: boolean;
}

/**
 * The rows of a list that has pages, as far as they were asked for.
 * @param path of the list, such as `/v1/jobs`
 */
export function useList<Path extends ListPaths>(path: Path, request: ListRequest): List<ItemOf<Path>> {
  const query = useInfiniteQuery({
    ...listQuery(path, request),
    ...(request.every === undefined ? {} : { refetchInterval: request.every }),
    enabled: request.enabled ?? true,
    placeholderData: (previous) => previous,
  });
  return {
    rows: query.data?.pages.flatMap(({ items }) => items) ?? [],
    error: query.error,
    isLoading: query.isPending,
    readAt: query.dataUpdatedAt,
    pages: query.data?.pages.length ?? 0,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    // A list that is being read again is not interrupted: its first pages would stay as old as they are.
    more: () => void query.fetchNextPage({ cancelRefetch: false }),
    again: () => void query.refetch(),
  };
}

/** The pages of a list, for those who read it before its screen is there. */
export const listQuery = <Path extends ListPaths>(path: Path, request: ListRequest) =>
  infiniteQueryOptions({
    queryKey: [...request.key, request.query ?? {}, request.path ?? {}],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(path, request, pageParam, signal),
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** The types of the caller were checked by `Path`; here one request serves all lists. */
async function readPage<Path extends ListPaths>(
  path: Path,
  { query, path: places, withDevices = false }: ListRequest,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<ItemOf<Path>>> {
  const given = Object.fromEntries(
    Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== ''),
  );
  const params = { query: { ...given, ...(cursor === undefined ? {} : { cursor }) }, path: places ?? {} };
  const get = api.get as unknown as (path: string, request: object) => Promise<ListPage<ItemOf<Path>>>;
  const page = await get(path, { params, signal });
  if (withDevices) await readNamesOf(page.items as readonly object[]);
  return page;
}
