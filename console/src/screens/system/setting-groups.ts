/* The settings of the gateway under headings, by their names. Pure. */

const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  [
    'Process and addresses',
    /^(?:ROLE|PROCESSES|HOST|PORT|PUBLIC_URL|TRUSTED_PROXIES|DATA_DIR|LOG_LEVEL|METRICS_|BODY_LIMIT)/,
  ],
  ['Database and queue', /^(?:DATABASE|REDIS)_/],
  ['Keys and secrets', /^(?:FLEETGATE_KEY|TRANSIT_|REDACTION_)/],
  ['Sign-in and rights', /^(?:FLEETGATE_SETUP|SESSION_|LOGIN_|RATE_LIMIT|OIDC_|REQUIRE_|APPROVAL_|FIRMWARE_STEP_UP)/],
  ['Devices and calls', /^(?:DEVICE_|FACADE_|STORED_FAN_OUT|STATUS_EVERY|LOGINS_)/],
  ['Monitoring and messages', /^(?:MONITORING_|SMTP_|ALERTMANAGER_)/],
  ['Files and jobs', /^(?:ARTIFACT_|JOB_)/],
  ['Audit', /^AUDIT_/],
];

const OTHERS = 'Others';

/** Each heading with its settings, in their order; headings without any are left out. */
export function settingGroups<Of extends { readonly name: string }>(
  settings: readonly Of[],
): readonly (readonly [title: string, settings: readonly Of[]])[] {
  const titleOf = ({ name }: Of) => GROUPS.find(([, names]) => names.test(name))?.[0] ?? OTHERS;
  return [...GROUPS.map(([title]) => title), OTHERS]
    .map((title) => [title, settings.filter((one) => titleOf(one) === title)] as const)
    .filter(([, own]) => own.length > 0);
}
