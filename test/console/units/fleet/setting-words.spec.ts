import { expect, it } from 'vitest';
import { settingGroups } from '../../../../console/src/screens/system/setting-groups.js';
import { settingText, settingValue } from '../../../../console/src/screens/system/setting-words.js';
import { configSchema } from '../../../../src/platform/config.js';

/* The settings of the gateway as a person reads them. */

it.each([
  ['Port to listen on; 0 chooses a free one', ['Port to listen on', '0 chooses a free one']],
  ['What it does: answers (`api`), or both', ['What it does', 'Answers (`api`), or both']],
  ['Address, such as https://a.example:1/b', ['Address, such as https://a.example:1/b', '']],
])('say what they are about first: %#', (description, said) => expect(settingText(description)).toEqual(said));

it.each([
  ['METRICS_PUBLIC', 'false', 'Off'],
  ['SESSION_MAX_HOURS', '1', '1 hour'],
  ['STATUS_EVERY_SECONDS', '300', '300 seconds'],
  ['BODY_LIMIT_BYTES', '1048576', '1.0 MB'],
  ['RATE_LIMIT_KEY', '600000', '600,000'],
  ['PORT', '8080', '8080'],
  ['DATA_DIR', '/srv/true', '/srv/true'],
])('have their values with units: %s', (name, value, text) => expect(settingValue(name, value)).toBe(text));

it('each have a heading of their own kind', () => {
  const groups = new Map(settingGroups(Object.keys(configSchema.shape).map((name) => ({ name }))));
  expect(groups.get('Others') ?? []).toEqual([]);
});
