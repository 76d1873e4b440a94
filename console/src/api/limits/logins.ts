import { countText, numberText } from '../amount-text.js';

/* How many logins a router sees in a day: the same count, of one device, on every screen. Pure. */

/** Of one device. More mean that something ends its session again and again. */
export const USUAL_LOGINS = 20;

/** `1 login a day at each device`. @param logins a day of all the devices */
export function loginsText(logins: number, devices: number): string {
  if (devices === 0 || logins === 0) return 'no logins';
  const each = logins / devices;
  if (each < 1) return 'fewer than 1 login a day at each device';
  return `${countText(Math.round(each), 'login')} a day at each device`;
}

/** `3, as usual: up to 20 a day`. @param count of one device today */
export const usualLoginsText = (count: number): string =>
  count <= USUAL_LOGINS
    ? `${numberText(count)}, as usual: a device has up to ${USUAL_LOGINS} a day`
    : `${numberText(count)}, more than usual: a device has up to ${USUAL_LOGINS} a day. Something ends the session again and again`;
