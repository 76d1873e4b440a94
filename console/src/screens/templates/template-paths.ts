import { type Schema } from '../../api/client.js';
import { pathTitle } from '../observed/path-words.js';

/* The services that a template can name: those that a watch reads, since a template is compared with that. Pure. */

/** The gateway sets these by jobs of their own. */
const OF_OTHER_JOBS = /^\/api\/(?:users|certificates)\//;

/** Whether a template can name a service of a router. */
export const isTemplatePath = (path: string): boolean => /\/(?:config|global)$/.test(path) && !OF_OTHER_JOBS.test(path);

/** Each once, in the order of their titles. */
export const templatePaths = (watches: readonly Pick<Schema<'Watch'>, 'paths'>[]): readonly string[] =>
  [...new Set(watches.flatMap(({ paths }) => paths))]
    .filter(isTemplatePath)
    .toSorted((one, other) => pathTitle(one).localeCompare(pathTitle(other), 'en'));
