import { sentence } from '../../api/device-texts.js';

/* What the gateway observed of a device, in words. */

const OBSERVED: Readonly<Record<string, string>> = {
  mac: 'MAC',
  serial: 'Serial number',
  claimed_serial: 'Claimed serial number',
  claimed_mac: 'Claimed MAC',
  profile: 'Form of its API',
  api_version: 'Version of its API',
};

/** What was observed. */
export const observedText = (field: string): string => OBSERVED[field] ?? sentence(field);
