/*
 * A device that answers and does nothing else until a person has set a new password on it (observed-devices.md 1.9): its
 * password is right, so it counts for no refused login. Pure.
 */

const DEMANDS: Readonly<Record<number, string>> = {
  124: 'the password of the account has expired',
  125: 'the device asks for a first password',
};

const REASONS = Object.entries(DEMANDS).map(([code, demand]) => `${demand} (code ${code})`);

/** What a device asks for by its answer to a call; null: nothing. */
export function passwordDemand(status: number, codes: readonly number[]): string | null {
  const code = status === 403 ? codes.find((known) => Object.hasOwn(DEMANDS, known)) : undefined;
  return code === undefined ? null : `${DEMANDS[code]!} (code ${code})`;
}

/** What a person does about it; it ends a sentence that has the demand. */
export const DEMAND_REMEDY = 'Set a new password on the device itself, then store it at the gateway';

/** Whether the reason of a device's state is such a demand. */
export const isPasswordDemand = (stateReason: string | null): boolean =>
  stateReason !== null && REASONS.includes(stateReason);

/**
 * Why an answer to a login makes the device unusable until a person acts; null where it may pass, as while it boots.
 * 423 is the status of a locked account.
 */
export function loginRefusal(status: number, codes: readonly number[]): string | null {
  if ((status !== 403 && status !== 423) || codes.length === 0) return null;
  const refusal = status === 423 ? 'the account is locked on the device' : 'the device refused the login';
  return passwordDemand(status, codes) ?? `${refusal} (code ${codes.join(', ')})`;
}
