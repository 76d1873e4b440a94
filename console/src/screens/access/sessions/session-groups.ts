import { type components } from '../../../../../src/api-client/openapi.js';
import { browserText } from './browser-text.js';

/* Sessions of one person from the same browser and address, as one row: each sign-in without a cookie is one more. Pure. */

type Session = components['schemas']['Session'];

/** Of fewer sessions each has its own row. */
const TOGETHER = 3;

/** A row: a session, or equal ones. */
export interface SessionLine {
  readonly key: string;
  /** Of equal ones the first in the list. */
  readonly session: Session;
  /** How many it stands for; 1: itself. */
  readonly count: number;
  readonly isInside: boolean;
}

/** The rows of a list. The session that asks always stands alone. @param open the keys of the groups whose sessions are shown */
export function sessionLines(sessions: readonly Session[], open: ReadonlySet<string>): readonly SessionLine[] {
  const groups = new Map<string, Session[]>();
  for (const session of sessions) {
    const key = keyOf(session);
    groups.set(key, [...(groups.get(key) ?? []), session]);
  }
  return [...groups].flatMap(([key, equal]) => {
    const alone = (session: Session, isInside = false): SessionLine => ({
      key: session.id,
      session,
      count: 1,
      isInside,
    });
    if (equal.length < TOGETHER) return equal.map((session) => alone(session));
    const head: SessionLine = { key, session: equal[0]!, count: equal.length, isInside: false };
    return open.has(key) ? [head, ...equal.map((session) => alone(session, true))] : [head];
  });
}

const keyOf = ({ id, current, operatorId, way, lastSeenAddress, userAgent }: Session): string =>
  current ? id : JSON.stringify([operatorId, way, lastSeenAddress, browserText(userAgent)]);
