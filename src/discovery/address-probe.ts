import { type X509Certificate } from 'node:crypto';
import { failure, ERROR_CODES, type Profile } from '../device-api/contract.js';
import { modelName } from '../device-api/identity-facts.js';
import { canonicalMac } from '../device-api/mac.js';
import { ExchangeError } from '../device-api/http.js';
import { storableText } from '../database/storable.js';
import { type Collector } from '../proxy/connections/collector.js';
import {
  loginRequest,
  logoutRequest,
  sessionIn,
  STATUS_REQUEST,
  statusIn,
  systemIn,
  systemRequest,
} from '../proxy/connections/session-requests.js';
import { type AddressVisit } from '../proxy/sessions/address-visits.js';
import { type FindView } from './discovery.contract.js';

/*
 * What a search asks at one address that is not in the registry: what answers there, and, only when told to, one login.
 */

/** Longer claims are cut; names of the registry are shorter, too. */
const CLAIM_LENGTH = 120;
const WORD_LENGTH = 64;

/** The certificate that was shown, for people. Its key is what the gateway pins. */
export type ShownCertificate = NonNullable<FindView['certificate']>;

/** What answered. The texts are claims. */
export type Recognition =
  | ({ readonly kind: 'device'; readonly profile: Profile } & Pick<
      FindView,
      'name' | 'model' | 'identifier' | 'apiVersion'
    >)
  | { readonly kind: 'other'; readonly reason: string };

/** The identity that a device shows after a login. */
export type ProvenIdentity = { readonly serial: string } & Pick<FindView, 'mac' | 'model' | 'firmware'>;

export type ProbeLogin =
  { readonly outcome: 'granted'; readonly token: string } | { readonly outcome: 'refused' | 'unclear' };

/** Asks what is there, without a login. @returns null when nothing answers */
export async function recognize(visit: AddressVisit): Promise<Recognition | null> {
  try {
    return recognized(await visit.send(STATUS_REQUEST));
  } catch (error) {
    return isSilence(error) ? null : { kind: 'other', reason: reasonOf(error) };
  }
}

/** One login in the form of the profile; never a second one. */
export async function logIn(
  visit: AddressVisit,
  profile: Profile,
  username: string,
  password: string,
): Promise<ProbeLogin> {
  try {
    const answer = await visit.send(loginRequest(profile, username, password));
    const session = sessionIn(answer);
    if (session) return { outcome: 'granted', token: session.token };
    return { outcome: answer.status >= 400 && answer.status < 500 ? 'refused' : 'unclear' };
  } catch (error) {
    if (error instanceof ExchangeError) return { outcome: 'unclear' };
    throw error;
  }
}

/** The identity of the device, then the session ends. Null when the device does not say it. */
export async function identifyAndLogOut(visit: AddressVisit, token: string): Promise<ProvenIdentity | null> {
  const answer = await visit.send(systemRequest(token)).catch(nullWhenBroken);
  await visit.send(logoutRequest(token)).catch(nullWhenBroken);
  const system = answer && systemIn(answer);
  if (!system) return null;
  const { mnfinfo, static: fixed } = system;
  const serial = claim(mnfinfo.serial, WORD_LENGTH);
  if (serial === null) return null;
  return {
    serial,
    mac: canonicalMac(mnfinfo.mac ?? ''),
    model: claim(modelName(mnfinfo.name, fixed?.model) ?? undefined, WORD_LENGTH),
    firmware: claim(fixed?.fw_version, WORD_LENGTH),
  };
}

/** A device with the additions of real ones says what it is. Others refuse the address, in the form of the API. */
function recognized(answer: Collector): Recognition {
  const { status } = answer;
  const data = statusIn(answer);
  if (data && (data.device_name !== undefined || data.api_version !== undefined)) {
    return {
      kind: 'device',
      profile: 'rutos',
      name: claim(data.device_name, CLAIM_LENGTH),
      model: claim(data.device_model, WORD_LENGTH),
      identifier: claim(data.device_identifier, WORD_LENGTH),
      apiVersion: claim(data.api_version, WORD_LENGTH),
    };
  }
  const refusal = status >= 400 && status < 600 ? failure.safeParse(answer.json()) : null;
  const errors = refusal?.data?.errors ?? [];
  if (errors.length > 0 && errors.every(({ code }) => Object.hasOwn(ERROR_CODES, code))) {
    return { kind: 'device', profile: 'spec', name: null, model: null, identifier: null, apiVersion: null };
  }
  return { kind: 'other', reason: `it answers ${status}, and not as a device` };
}

/** Nothing listens, or nothing may be sent there. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof ExchangeError)) return false;
  const { fault, facts } = error;
  if (fault === 'refused') return facts['reason'] === 'ECONNREFUSED';
  return fault === 'unreachable' || fault === 'address' || fault === 'aborted' || facts['phase'] === 'connect';
}

/** @throws what is no fault of an exchange */
function reasonOf(error: unknown): string {
  if (!(error instanceof ExchangeError)) throw error;
  const { fault, facts } = error;
  const cause = [facts['reason'], facts['phase']].find((fact) => typeof fact === 'string') ?? 'no complete answer';
  return storableText(`${fault}: ${cause}`, CLAIM_LENGTH);
}

function nullWhenBroken(error: unknown): null {
  if (error instanceof ExchangeError) return null;
  throw error;
}

/** A text from outside in one line; null when nothing is left of it. */
function claim(text: string | undefined, length: number): string | null {
  if (text === undefined) return null;
  const line = storableText(text.slice(0, 2 * length).replaceAll(/\p{Cc}/gu, '')).trim();
  return line === '' ? null : storableText(line, length);
}

/** A certificate as people see it. */
export function shownCertificate(certificate: X509Certificate): ShownCertificate {
  const notAfter = new Date(certificate.validTo);
  return {
    subject: subjectOf(certificate.subject),
    issuer: subjectOf(certificate.issuer),
    notAfter: Number.isNaN(notAfter.getTime()) ? null : notAfter.toISOString(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** Node has no text for an empty name, whatever its type says. */
const subjectOf = (name: string | undefined): string => claim(name?.replaceAll('\n', ', '), CLAIM_LENGTH) ?? '';
