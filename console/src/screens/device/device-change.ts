import { type components } from '../../../../src/api-client/openapi.js';
import { A_CHANGE } from '../../ui/leaving/missing-text.js';
import { readAddress } from '../devices/adding/device-address.js';

/* What the form of a device changes. Pure. */

type Device = components['schemas']['Device'];
type Change = components['schemas']['ChangeDevice'];

/** New values of custom fields by key; null removes one. What was typed for a number and is none is NaN: it is not sent. */
export type FieldChanges = Readonly<Record<string, Device['fields'][string] | null>>;

/** As texts; the login is that of a new address. */
export const formOf = (device: Device) => ({
  name: device.name,
  baseUrl: device.baseUrl,
  spareUrl: device.spareUrl ?? '',
  site: device.site,
  tags: device.tags.join(', '),
  timeZone: device.timeZone ?? '',
  note: device.note,
  username: device.credentials?.username ?? '',
  password: '',
});

export type EditForm = ReturnType<typeof formOf>;

/** What is sent: only what was changed. What is no address stays as it was typed. */
export function changeOf(device: Device, form: EditForm, fields: FieldChanges): Change {
  const first = formOf(device);
  const baseUrl = addressOf(form.baseUrl, first.baseUrl);
  const spareUrl = addressOf(form.spareUrl, first.spareUrl);
  const isMoved = baseUrl !== first.baseUrl;
  return {
    ...(form.name === first.name ? {} : { name: form.name }),
    ...(isMoved ? { baseUrl } : {}),
    ...(spareUrl === first.spareUrl ? {} : { spareUrl: spareUrl || null }),
    ...(form.site === first.site ? {} : { site: form.site }),
    ...(form.tags === first.tags ? {} : { tags: tagsOf(form.tags) }),
    ...(form.timeZone === first.timeZone ? {} : { timeZone: form.timeZone || null }),
    ...(form.note === first.note ? {} : { note: form.note }),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(isMoved && form.password !== '' ? { credentials: { username: form.username, password: form.password } } : {}),
  };
}

/** What keeps a change from being sent; what is there is false. */
export const missingOf = (
  change: Change,
  { username }: EditForm,
  fields: FieldChanges,
): readonly (string | false)[] => [
  Object.keys(change).length === 0 && A_CHANGE,
  change.baseUrl === '' && 'an address',
  [change.baseUrl, change.spareUrl].some((url) => url && readAddress(url).wrong !== null) &&
    'an address that can be read',
  change.credentials !== undefined && username === '' && 'a user name',
  hasWrongNumber(fields) && 'a number',
];

/** Whether a text is in the place of a number. */
export const hasWrongNumber = (changes: FieldChanges): boolean => Object.values(changes).some(Number.isNaN);

const tagsOf = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean);

/** @param known of the device, which may have a form that people do not type */
function addressOf(typed: string, known: string): string {
  const text = typed.trim();
  return text === '' || text === known ? text : (readAddress(text).url ?? text);
}
