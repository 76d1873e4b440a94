import { randomBytes } from 'node:crypto';

/*
 * Which scripts our own pages run: those that carry the nonce of their answer, and the modules that those import. `'self'` would be all
 * addresses of the gateway, and with them the answers of devices (`/v1/devices/…/api`), which a device writes as it likes. The
 * name of a folder needs a host, and behind a proxy the gateway cannot know the one that the browser uses.
 */

/** What the build of the console writes in the place of a nonce (`console/vite.config.mjs`). */
export const NONCE_PLACE = '__nonce__';

export interface ScriptNonce {
  /** For the attribute `nonce`; 128 random bits. */
  readonly nonce: string;
  /** The value of `script-src`. */
  readonly sources: string;
}

/** A nonce for one answer. */
export function scriptNonce(): ScriptNonce {
  const nonce = randomBytes(16).toString('base64');
  return { nonce, sources: `'nonce-${nonce}'` };
}
