import { Secret, TOTP } from 'otpauth';

/*
 * Time-based one-time passwords (RFC 6238) in the form that every authenticator app supports: SHA-1, six digits, 30 s.
 * Pure.
 */

const STEP_S = 30;

/** RFC 6238, section 5.2: one step of delay; and one ahead, for clocks that run fast. */
const WINDOW = 1;

/** RFC 4226, section 4: 160 bits recommended. */
const SEED_BYTES = 20;

export const newSeed = () => newRandom(SEED_BYTES);

/** Random bytes in base32. */
export const newRandom = (bytes: number): string => new Secret({ size: bytes }).base32;

/** The content of the QR code for an authenticator app: `otpauth://totp/…`. */
export function enrolmentUri(seed: string, operatorName: string): string {
  return totpOf(seed, operatorName).toString();
}

/**
 * Finds the time step of a code.
 * @returns the number of the step since 1970, or null when no near step has this code
 */
export function stepOfCode(seed: string, code: string, nowMs: number): number | null {
  const delta = totpOf(seed).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1_000 / STEP_S) + delta;
}

/** Whether a text has the form of a code. */
export const isTotpCode = (text: string) => /^\d{6}$/.test(text);

function totpOf(seed: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Fleetgate', label, secret: Secret.fromBase32(seed), period: STEP_S });
}
