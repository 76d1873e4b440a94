import {
  LOGIN_BODY,
  PATHS,
  loginAnswer,
  success,
  systemStatus,
  unauthorizedStatus,
  type Profile,
  type Session,
} from '../../device-api/contract.js';
import { Exchange, type Limits } from '../../device-api/exchange.js';
import { type DeviceClient } from '../../device-api/http.js';
import { Collector } from './collector.js';

/*
 * The requests of a login and how their answers are read: for sessions of registered devices, and for addresses that
 * are not in the registry. Retries, and what an unreadable answer means, are decided by the callers.
 */

/** Made once: making a schema costs more than using it. */
const STATUS = success(unauthorizedStatus);
const SYSTEM = success(systemStatus);

export interface SessionRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly json?: object;
  readonly token?: string;
}

/** Needs no login. */
export const STATUS_REQUEST: SessionRequest = { method: 'GET', path: PATHS.unauthorizedStatus };

export const loginRequest = (form: Profile, username: string, password: string): SessionRequest => ({
  method: 'POST',
  path: PATHS.login,
  json: LOGIN_BODY[form](username, password),
});

export const systemRequest = (token: string): SessionRequest => ({ method: 'GET', path: PATHS.systemStatus, token });

export const logoutRequest = (token: string): SessionRequest => ({ method: 'POST', path: PATHS.logout, token });

/** Sends a request with nothing of a caller in it. @throws ExchangeError */
export async function send(client: DeviceClient, request: SessionRequest, limits: Limits): Promise<Collector> {
  const { method, path, json, token } = request;
  const body = json === undefined ? null : Buffer.from(JSON.stringify(json));
  const headers = ['user-agent', 'fleetgate', 'accept', 'application/json', 'accept-encoding', 'identity'];
  if (body) headers.push('content-type', 'application/json');
  if (token !== undefined) headers.push('authorization', `Bearer ${token}`);
  const answer = new Collector();
  await new Exchange(client, { method, path, headers, body }, answer, limits).done;
  return answer;
}

/** What a device says of itself without a login; null when the answer does not say it. */
export function statusIn(answer: Collector) {
  return answer.status < 300 ? (STATUS.safeParse(answer.json()).data?.data ?? null) : null;
}

/** The session that a login gave; null when it gave none. */
export function sessionIn(answer: Collector): Session | null {
  return answer.status < 300 ? (loginAnswer.safeParse(answer.json()).data ?? null) : null;
}

/** The identity and firmware of a device; null when the answer does not say them. */
export function systemIn(answer: Collector) {
  return SYSTEM.safeParse(answer.json()).data?.data ?? null;
}
