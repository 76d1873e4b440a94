import { type ErrorInfo } from './error-info.js';

/** Errors of jobs, and of what they use: artifacts, sealed values, backups. */
export const JOB_ERRORS = {
  job_not_found: {
    status: 404,
    title: 'There is no such job',
    advice: 'GET /v1/jobs lists them.',
  },
  job_not_cancellable: {
    status: 409,
    title: 'The job can no longer be cancelled',
    advice: 'It has ended, or it is past the point of no return and continues to a verified end.',
  },
  quarantined: {
    status: 409,
    title: 'Three processes ended or stopped answering while they worked on it, so it was stopped',
    advice:
      'Look at the logs of the processes. Then start the job again, resume the rollout, or save the others with `enabled`.',
  },
  worker_stalled: {
    status: 503,
    retryable: true,
    title: 'The worker was blocked for so long that it may have lost the job',
    advice: 'Nothing was sent, and the job continues by itself. Find out what blocks the worker.',
  },
  sealed_value_not_found: {
    status: 404,
    title: 'There is no such sealed value',
    advice: 'GET /v1/sealed-values lists them. The gateway removes each one when it expires.',
  },
  too_many_sealed_values: {
    status: 409,
    title: 'This key or session has too many sealed values',
    advice: 'Remove those that no job needs: DELETE /v1/sealed-values/{id}.',
  },
  artifact_not_found: {
    status: 404,
    title: 'There is no such artifact',
    advice: 'GET /v1/artifacts lists them.',
  },
  artifact_in_use: {
    status: 409,
    title: 'A job or a rollout that has not ended, or a schedule, uses the artifact',
    advice: 'Wait until the `jobs` and `rollouts` end, or end them, and disable the `schedules`. Then try again.',
  },
  artifact_digest_mismatch: {
    status: 422,
    title: 'The bytes do not have the claimed digest',
    advice: 'Compare `claimed` and `received`. Send the complete file again, or the right digest.',
  },
  artifact_signature_refused: {
    status: 422,
    title: 'The signature is not valid for these bytes with any known key',
    advice: 'Sign the SHA-256 digest with a key of ARTIFACT_PUBLIC_KEYS. docs/howto/sign-artifacts.md shows how.',
  },
  artifact_quota_exceeded: {
    status: 507,
    title: 'There is no space for more artifacts',
    advice: 'Delete artifacts that are not needed, or raise ARTIFACT_QUOTA_BYTES.',
  },
  artifact_changed: {
    status: 409,
    title: 'The artifact is not the expected one',
    advice: 'Compare `expectedSha256` and `foundSha256`. Start again with the right artifact.',
  },
  artifact_damaged: {
    status: 500,
    title: 'The stored bytes of the artifact are missing or damaged',
    advice: 'Restore the artifact store from its backup, or create the artifact again.',
  },
  backup_unreadable: {
    status: 422,
    title: 'The backup cannot be opened',
    advice:
      'Use another one. `why` says what is wrong with it, and GET /v1/backups/coverage lists the affected devices.',
  },
  backup_policy_not_found: {
    status: 404,
    title: 'There is no such backup policy',
    advice: 'GET /v1/backups/policies lists them.',
  },
  backup_policy_exists: {
    status: 409,
    title: 'There is already a backup policy with this name',
    advice: 'Choose another name, or replace that policy with PUT.',
  },
  monitoring_policy_not_found: {
    status: 404,
    title: 'There is no such monitoring policy',
    advice: 'GET /v1/monitoring/policies lists them.',
  },
  monitoring_policy_exists: {
    status: 409,
    title: 'There is already a monitoring policy with this name',
    advice: 'Choose another name, or replace that policy with PUT.',
  },
  alert_rule_not_found: {
    status: 404,
    title: 'There is no such rule of alerts',
    advice: 'GET /v1/monitoring/rules lists them.',
  },
  alert_not_found: {
    status: 404,
    title: 'There is no such alert',
    advice: 'GET /v1/monitoring/alerts?state=all lists them. A closed one is listed for 30 days.',
  },
  alert_not_open: {
    status: 409,
    title: 'The alert is not open',
    advice: 'Only an open alert can be acknowledged.',
  },
  mute_not_found: {
    status: 404,
    title: 'There is no such mute',
    advice: 'GET /v1/monitoring/mutes lists those in force.',
  },
  alert_rule_exists: {
    status: 409,
    title: 'There is already a rule of alerts with this name',
    advice: 'Choose another name, or replace that rule with PUT.',
  },
  watch_not_found: {
    status: 404,
    title: 'There is no such watch',
    advice: 'GET /v1/watches lists them.',
  },
  watch_exists: {
    status: 409,
    title: 'There is already a watch with this name',
    advice: 'Choose another name, or replace that watch with PUT.',
  },
  template_not_found: {
    status: 404,
    title: 'There is no such template',
    advice: 'GET /v1/templates lists them.',
  },
  template_exists: {
    status: 409,
    title: 'There is already a template with this name',
    advice: 'Choose another name, or replace that template with PUT.',
  },
  template_version_not_found: {
    status: 404,
    title: 'The template has no such version',
    advice: 'GET /v1/templates/{templateName}/versions lists them.',
  },
  ignored_not_found: {
    status: 404,
    title: 'There is no such ignored option, or it has ended',
    advice: 'GET /v1/templates/{templateName}/ignored lists those in force.',
  },
  too_many_ignored: {
    status: 409,
    title: 'The template has as many ignored options as it may have',
    advice: 'End one that is no longer needed. `limit` is the number.',
  },
  difference_not_found: {
    status: 404,
    title: 'The draft names no such option, or nothing was read of it on this device',
    advice:
      'GET /v1/templates/{templateName} has the items of the draft. A section that the device has not, or has twice, a secret, and what is no text have ' +
      'no value to take.',
  },
  adoption_impossible: {
    status: 409,
    title: 'A template cannot be made of these devices',
    advice:
      'Name 1 to 50 devices on which you may read all of the paths, and whose watches have read them: the facts say what is missing. ' +
      'POST /v1/watches/{watchName}/run reads now.',
  },
  template_overlaps: {
    status: 409,
    title: 'Another published template decides the same option on the same devices',
    advice:
      'Leave the option out of one of them, or choose other devices. What differs from device to device is a custom field.',
  },
  observed_body_not_found: {
    status: 404,
    title: 'No device that you see has or had this body at this path',
    advice: 'GET /v1/observed lists the digests of a path.',
  },
} as const satisfies Record<string, ErrorInfo>;
