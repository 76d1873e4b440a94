import { AppError } from '../platform/errors.js';
import { type TrustInput } from './devices.contract.js';
import { type Device } from './registry/device.entity.js';

/** Trust `insecure` is temporary; a month is enough to get a certificate. */
const INSECURE_DAYS_MAX = 30;

/** What a person has not yet decided about is no longer asked: the device has another address or trust now. */
export const NOTHING_OFFERED = { offeredPin: null, offeredCertificate: null } as const;

/** The columns of a trust. @throws AppError `invalid_input` when `insecure` has a wrong end */
export function trustColumns(
  input: TrustInput,
  now: Date,
): Pick<Device, 'trust' | 'trustPin' | 'trustCa' | 'trustExpiresAt'> {
  const none = { trustPin: null, trustCa: null, trustExpiresAt: null };
  switch (input.mode) {
    case 'pin':
      return { ...none, trust: 'pin', trustPin: input.pin ?? null };
    case 'ca':
      return { ...none, trust: 'ca', trustCa: input.ca };
    case 'insecure': {
      const aheadMs = input.expiresAt.getTime() - now.getTime();
      if (aheadMs <= 0 || aheadMs > INSECURE_DAYS_MAX * 86_400_000) {
        const detail = `between now and ${INSECURE_DAYS_MAX} days ahead`;
        throw new AppError('invalid_input', { errors: [{ pointer: '/body/trust/expiresAt', detail }] });
      }
      return { ...none, trust: 'insecure', trustExpiresAt: input.expiresAt };
    }
  }
}
