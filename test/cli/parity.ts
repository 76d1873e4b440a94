/** Operations without a command, with the reason. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  signin_login: 'a browser signs in with it; the command line uses API keys',
  signin_logout: 'as sign-in',
  signin_changePassword: 'needs the session of a browser',
  auth_setupState: 'the page of the sign-in reads it',
  oidc_list: 'a browser signs in with it',
  oidc_begin: 'a browser signs in with it',
  oidc_finish: 'a browser signs in with it',
  secondfactor_begin: 'needs the session of a browser: it shows a QR code',
  secondfactor_confirm: 'needs the session of a browser',
  secondfactor_remove: 'needs the session of a browser',
  secondfactor_renew: 'needs the session of a browser',
  secondfactor_show: 'needs the session of a browser',
  tiles_checkpoint: 'tools of others read it; docs/mirror-audit.sh is a reader',
  tiles_entries: 'as the checkpoint',
  tiles_hashes: 'as the checkpoint',
};

/** Operations that a command of its own calls, with that command. */
export const BY_OWN_COMMAND: Readonly<Record<string, string>> = {
  fleet_run: 'device import',
  fleet_export: 'device export',
  fanouts_stream: 'fan-out',
  artifacts_add: 'artifact upload',
  jobs_start: 'job start',
  rollouts_create: 'rollout apply',
  templates_plan: 'template plan',
  rollouts_follow: 'rollout watch',
  events_follow: 'events',
  auditlog_getLog: 'audit key',
  auditlog_consistency: 'audit consistency',
  auditlog_verify: 'audit verify',
  auditlog_export: 'audit export',
};
