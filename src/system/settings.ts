import { configSchema, SECRET_SETTINGS, type Settings } from '../platform/config.js';
import { type SettingView } from './system.contract.js';

/* The settings of a process as an operator may read them: no value of them is a secret. Pure. */

const SECRETS: ReadonlySet<string> = new Set(SECRET_SETTINGS);

/** All settings in the order of docs/reference/config.md. */
export function settingsOf(config: Settings): SettingView[] {
  const defaults = configSchema.parse({});
  return (Object.keys(configSchema.shape) as (keyof Settings)[]).map((name) => {
    const value = textOf(config[name]);
    const isHidden = value !== null && SECRETS.has(name);
    return {
      name,
      value: isHidden || value === null ? null : value.split(' ').map(withoutSecrets).join(' '),
      hidden: isHidden,
      source: value === textOf(defaults[name]) ? 'default' : 'set',
      description: configSchema.shape[name].description ?? '',
    };
  });
}

function textOf(value: Settings[keyof Settings]): string | null {
  if (value === undefined || value === '') return null;
  return Array.isArray(value) ? value.join(' ') || null : String(value);
}

/** An address may carry a password in its user part, and a token in its query. */
function withoutSecrets(value: string): string {
  if (!value.includes('://') || !URL.canParse(value)) return value;
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
