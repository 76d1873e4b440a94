import { useRef } from 'react';
import { type ReadVersion, sendUnchanged } from './changed-since.js';

type Send = <Result>(write: (header: { 'If-Match': string }) => Promise<Result>) => Promise<Result>;

/**
 * @param opened the object when the form was opened
 * @param labels of what the form changes, by the names of the object
 * @param read reads the object now
 * @returns sends a change. @throws ChangedSince
 */
export function useUnchanged(
  opened: object | null,
  labels: Readonly<Record<string, string>>,
  read: () => Promise<ReadVersion>,
): Send {
  const base = useRef(opened);
  return async (write) => {
    const now = await read();
    const before = base.current ?? {};
    base.current = now.body;
    return sendUnchanged(before, labels, now, write);
  };
}
