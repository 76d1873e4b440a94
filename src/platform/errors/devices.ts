import { type ErrorInfo } from './error-info.js';

/** Errors of the registry of devices: rows, selectors, imports. */
export const DEVICE_ERRORS = {
  device_not_found: {
    status: 404,
    title: 'There is no such device',
    advice: 'Name it by id, or as name:…, serial:… or mac:…. GET /v1/devices lists them.',
  },
  device_exists: {
    status: 409,
    title: 'Another device already has this name, serial number, MAC or base URL',
    advice: 'Choose another value for the field named in `field`, or change the other device.',
  },
  device_in_use: {
    status: 409,
    title: 'The device has a job that has not ended',
    advice: 'Cancel the job or wait until it ends, then try again.',
  },
  device_has_no_credentials: {
    status: 409,
    title: 'No credentials are stored for this device',
    advice:
      'Set them with PUT /v1/devices/{ref}/credentials. A replaced device, one at a new address and one that was ' +
      'imported without a password has none. The selector `credentials:none` names all such devices.',
  },
  base_url_refused: {
    status: 422,
    title: 'A device cannot have this base URL',
    advice: 'Give only https://host[:port] of the device. `reason` says what was refused.',
  },
  invalid_selector: {
    status: 400,
    title: 'The selector is not valid',
    advice: 'Correct it at `position`. docs/reference/selectors.md has the grammar with examples.',
  },
  selector_not_found: {
    status: 404,
    title: 'There is no saved selector with this name',
    advice: 'GET /v1/selectors lists them.',
  },
  selector_exists: {
    status: 409,
    title: 'Another saved selector already has this name',
    advice: 'Choose another name. That selector names devices that you may not see, so you cannot change it.',
  },
  field_not_found: {
    status: 404,
    title: 'There is no custom field with this key',
    advice: 'GET /v1/fields lists them.',
  },
  field_in_use: {
    status: 409,
    title: 'Devices have values of this field that the new definition does not allow',
    advice: 'Change those values first, or define a field with another key.',
  },
  field_in_rights: {
    status: 409,
    title: 'A role, an assignment, an API key or a lock names this custom field',
    advice: 'Take `field.<key>` out of their selectors first: without its values they would apply to other devices.',
  },
  too_many_fields: {
    status: 409,
    title: 'There are as many custom fields as there may be',
    advice: 'Remove one that is no longer needed. `limit` is the number.',
  },
  selection_changed: {
    status: 409,
    title: 'The selector no longer names the devices of the digest',
    advice: 'Look at them with POST /v1/devices/preview, and send the new `digest` as `expectedDigest`.',
  },
  import_not_found: {
    status: 404,
    title: 'You have no such import',
    advice: 'Its address was in `Location` when it was started. The gateway forgets it after 7 days.',
  },
  import_ended: {
    status: 409,
    title: 'The import has ended',
    advice: 'GET /v1/imports/{importId} shows its result.',
  },
  import_cancelled: {
    status: 409,
    title: 'The import was cancelled, and changed nothing',
    advice: 'Send it again if that was a mistake.',
  },
  import_refused: {
    status: 422,
    title: 'The import has invalid lines, so nothing was imported',
    advice: 'Correct the lines named in `errors`, or import the valid ones with onError=skip.',
  },
  import_interrupted: {
    status: 503,
    retryable: true,
    title: 'A stop of the gateway interrupted the import, and it changed nothing',
    advice: 'Send it again.',
  },
  too_many_imports: {
    status: 429,
    retryable: true,
    title: 'Too many imports are running or arriving, for this operator or in all',
    advice: 'Wait until one of them has ended.',
  },
  discovery_not_found: {
    status: 404,
    title: 'There is no such search',
    advice: 'GET /v1/discovery lists them. The gateway forgets each one 7 days after its end.',
  },
  discovery_ended: {
    status: 409,
    title: 'The search has ended',
    advice: 'GET /v1/discovery/{discoveryId} shows its result.',
  },
  too_many_discoveries: {
    status: 429,
    retryable: true,
    title: 'Too many searches have not ended',
    advice: 'Wait until one of them has ended, or cancel one. `limit` is the number.',
  },
  network_refused: {
    status: 422,
    title: 'The gateway does not search this network',
    advice:
      'Give networks whose addresses may be devices, at most 4,096 addresses in all. `reason` says what was refused.',
  },
  find_not_found: {
    status: 404,
    title: 'The search has no such find',
    advice: 'GET /v1/discovery/{discoveryId}/found lists them.',
  },
  find_is_no_device: {
    status: 409,
    title: 'What answered at this address was not recognised as a device',
    advice: 'If you are sure that it is one, register it with POST /v1/devices.',
  },
} as const satisfies Record<string, ErrorInfo>;
