import { configSchema, SECRET_SETTINGS } from '../../../src/platform/config.js';

/** What may be set in the environment of a gateway: its settings, files of secrets, and what its entrypoint, drivers and SDKs read. */
export const ENVIRONMENT_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(configSchema.shape),
  ...SECRET_SETTINGS.map((name) => `${name}_FILE`),
  'PGPASSWORD_FILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
]);
