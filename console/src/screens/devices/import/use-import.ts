import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, ApiError, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/*
 * An import is an operation of the gateway: it goes on without the page. The browser remembers the last one, so that a page that
 * was closed shows it again.
 */

export type Operation = Schema<'ImportOperation'>;

const REMEMBERED = 'fleetgate.import';
const LOOK_EVERY_MS = 500;

interface Sent {
  readonly file: File;
  readonly dryRun: boolean;
  readonly skipsErrors: boolean;
}

/** Sends files: to be checked only, or to be imported. */
export function useImport() {
  const [remembered, setRemembered] = useState(() => localStorage.getItem(REMEMBERED));
  const [checkId, setCheckId] = useState<string | null>(null);
  const importId = checkId === null ? remembered : null;
  const operation = useOperation(checkId ?? remembered);
  const remember = (id: string | null) => {
    if (id === null) localStorage.removeItem(REMEMBERED);
    else localStorage.setItem(REMEMBERED, id);
    setRemembered(id);
  };
  const send = useAction({
    run: (sent: Sent) => startImport(sent),
    done: null,
    after: ({ id }, { dryRun }) => {
      setCheckId(dryRun ? id : null);
      if (!dryRun) remember(id);
    },
    quiet: true,
  });
  const cancel = useAction({
    run: (id: string) => api.post('/v1/imports/{importId}/cancel', { params: { path: { importId: id } } }),
    done: 'The import is cancelled',
    refreshes: ['imports'],
  });
  useLeaveWarning(send.isPending);
  /** Back to the choice of a file. */
  const forget = () => {
    remember(null);
    setCheckId(null);
    send.reset();
  };
  return { send, cancel, forget, importId, ...operation };
}

async function startImport({ file, dryRun, skipsErrors }: Sent): Promise<Operation> {
  const type = file.name.endsWith('.ndjson') ? 'application/x-ndjson' : 'text/csv';
  const query = { onError: dryRun || skipsErrors ? 'skip' : 'stop', ...(dryRun ? { dryRun: 'true' } : {}) } as const;
  const headers = { prefer: 'respond-async' };
  return (await api.upload('/v1/devices/import', file, { type, headers, params: { query } })) as Operation;
}

/** The operation as it is now, until it has ended. */
function useOperation(id: string | null): { operation: Operation | null; error: unknown } {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEYS.imports.one(id),
    queryFn: ({ signal }) => api.get('/v1/imports/{importId}', { params: { path: { importId: id! } }, signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? LOOK_EVERY_MS : false),
  });
  const hasImported = data?.state === 'succeeded' && !data.dryRun;
  useEffect(() => {
    if (hasImported) void client.invalidateQueries({ queryKey: KEYS.devices.all });
  }, [hasImported, client]);
  // Another person's, or one of long ago.
  const isForgotten = error instanceof ApiError && error.code === 'import_not_found';
  return { operation: id === null ? null : (data ?? null), error: isForgotten ? null : error };
}

/** While a file is on its way the gateway does not have it: the browser asks before it closes the page. */
function useLeaveWarning(isOnItsWay: boolean): void {
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isOnItsWay]);
}
