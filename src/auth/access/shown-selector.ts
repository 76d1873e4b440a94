import { type Principal } from './access.js';
import { AppError } from '../../platform/errors.js';
import { namesDevices } from '../../selectors/selector-expansion.js';
import { parseSelector } from '../../selectors/selector.js';

/*
 * Selectors of locks, policies, schedules and rollouts belong to the gateway, and callers with limited rights read
 * them, too. A selector of tags, sites or models is shown to all callers. One that names devices would reveal them. A
 * saved selector is visible only to callers who can see all its devices.
 */

export type Reader = Pick<Principal, 'actorId' | 'operatorId' | 'keyId' | 'rights'>;

interface SelectorAuthor {
  readonly createdBy: string;
  readonly operatorId?: string | null;
}

/** The selector for a reader: null when it names devices and the reader neither wrote it nor sees all devices. */
export function shownSelector(text: string, author: SelectorAuthor | null, reader: Reader): string | null {
  return seesAllDevices(reader) || isAuthor(author, reader) || !mayNameDevices(text) ? text : null;
}

export const seesAllDevices = ({ rights }: Pick<Reader, 'rights'>): boolean => rights.scope('device.read') === null;

/** The same key or session, or another session of the operator, which no scope narrows. */
export function isAuthor(author: SelectorAuthor | null, reader: Reader): boolean {
  if (author === null) return false;
  const { createdBy, operatorId } = author;
  return createdBy === reader.actorId || (reader.keyId === null && operatorId === reader.operatorId);
}

function mayNameDevices(text: string): boolean {
  try {
    return namesDevices(parseSelector(text, true));
  } catch (error) {
    if (error instanceof AppError) return true; // an invalid one may name anything
    throw error;
  }
}
