import { type ApiClient } from '../api-client/api-client.js';

export interface Context {
  /** To people or programs. */
  readonly out: (text: string) => void;
  /** To people alone. */
  readonly err: (text: string) => void;
  /** The gateway; made when a command asks for it, since some need none. */
  readonly api: () => ApiClient;
  readonly endWith: (code: number) => void;
}
