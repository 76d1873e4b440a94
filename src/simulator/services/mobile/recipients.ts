/* Files and a test message of the recipients that rules write to. */
import type { SimulatedDevice } from '../../device/device.js';
import { KeepingSink, ok, Refused, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { dataOf, onPost, type Route } from '../../http/route.js';
import { sectionIn } from '../sections.js';
import { keepUpload } from '../../http/request-data.js';

const uploadTo =
  (key: string) =>
  (device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer => {
    sectionIn(device, key, request);
    return keepUpload(device, request, key.replace('/', '.'));
  };

function sendEmail(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  for (const name of ['smtp_ip', 'smtp_port', 'senderemail']) {
    if (typeof dataOf(request)[name] !== 'string') throw new Refused(103, { source: name });
  }
  device.did(request.entry, 'send-message', 'mail');
  return ok({ response: 'Email sent' });
}

const onUpload = (key: string, summary: string): Route =>
  onPost(`/api/${key}/config/{id}`, summary, uploadTo(key), {
    upload: () => new KeepingSink(),
    codes: [113, 150, 151],
    effect: 'upload',
  });

export const RECIPIENT_ROUTES: readonly Route[] = [
  onUpload('recipients/phone_groups', 'Takes a list of phone numbers'),
  onUpload('recipients/email_users', 'Takes the certificate of a mail server'),
  onPost('/api/recipients/email_users/actions/send_email', 'Sends a mail to try the settings', sendEmail, {
    codes: [103],
    effect: 'send-message',
  }),
];
