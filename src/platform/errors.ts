/*
 * Every error that a caller can meet, in one table: a stable code, its HTTP status, and what to do about it.
 * `docs/reference/errors.md` lists the same codes; a test holds the two together. A code, once released, keeps its meaning.
 */

export interface ErrorInfo {
  /** HTTP status of the problem document. */
  readonly status: number;
  /** Whether the same request may succeed later without a change by the caller; absent: it may not. */
  readonly retryable?: true;
  /** One sentence for a person: what is the matter. */
  readonly title: string;
  /** One sentence for a person: what to do about it. */
  readonly advice: string;
}

export const ERRORS = {
  invalid_input: {
    status: 400,
    title: 'The request does not have the right form',
    advice: 'Correct what `errors` points at; /openapi.json describes every field.',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    advice: 'Send valid JSON in UTF-8 with Content-Type: application/json.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not one of this list',
    advice: 'Start again without `cursor`, and keep the other query parameters the same from page to page.',
  },
  invalid_selector: {
    status: 400,
    title: 'The selector cannot be read',
    advice: 'Correct it at `position`; docs/reference/selectors.md has the grammar with examples.',
  },
  request_aborted: {
    status: 400,
    retryable: true,
    title: 'The request broke off before it was complete',
    advice: 'Send it again.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is not HTTP/1.1 as RFC 9112 describes it',
    advice: 'Send one Host header with a name or an address, and no Transfer-Encoding but `chunked`.',
  },
  request_too_slow: {
    status: 408,
    retryable: true,
    title: 'The request did not arrive in time',
    advice: 'Send it faster; BODY_WITHIN_SECONDS and BODY_BYTES_PER_SECOND are the limits of the gateway.',
  },
  address_too_long: {
    status: 414,
    title: 'The address of the request is too long',
    advice: 'Send a shorter path and query; requests with a body take long selectors there.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers of the request are too large',
    advice: 'Send less than 16 kB of headers, the address included.',
  },
  path_refused: {
    status: 400,
    title: 'The device path is not in its canonical form',
    advice: 'Send the path without dot segments, double or encoded slashes, backslashes, and with ASCII only.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'A request that writes to many devices needs an Idempotency-Key',
    advice: 'Send Idempotency-Key with a value of your own, 8 to 128 letters, digits and - _ . characters.',
  },
  unauthenticated: {
    status: 401,
    title: 'The request carries no valid API key and no session',
    advice: 'Send Authorization: Bearer <API key>, or sign in at POST /v1/login.',
  },
  login_refused: {
    status: 401,
    title: 'Name and password do not fit',
    advice: 'Check both; a forgotten password is set anew with an invitation by an administrator.',
  },
  second_factor_required: {
    status: 401,
    title: 'This account has a second factor, and none was shown',
    advice: 'Send the code of the authenticator, or a recovery code, as `code`.',
  },
  second_factor_refused: {
    status: 401,
    title: 'The code is not one that is good now',
    advice: 'Send the next code that the authenticator shows; a code is good once.',
  },
  forbidden: {
    status: 403,
    title: 'Whoever asks may not do this',
    advice:
      'Ask somebody who holds the permission named in `permission`; GET /v1/rights/explain says which rule decides.',
  },
  cross_site_refused: {
    status: 403,
    title: 'A page of another site sent this request in the name of who is signed in',
    advice: 'Send it from a page of the gateway itself; programs use an API key.',
  },
  address_refused: {
    status: 403,
    title: 'This API key may not be used from this address',
    advice: 'Use it from one of its networks, or have them changed.',
  },
  session_required: {
    status: 403,
    title: 'Only a person who is signed in may do this',
    advice: 'Sign in at POST /v1/login and send the request in that session.',
  },
  invitation_refused: {
    status: 403,
    title: 'The invitation is not valid',
    advice: 'Ask for a new one; an invitation ends when it is used, replaced, or old.',
  },
  oidc_refused: {
    status: 403,
    title: 'The sign-in at the provider did not succeed',
    advice: 'Begin it again; if it stays, an administrator finds the cause in the audit and the log by `requestId`.',
  },
  oidc_no_role: {
    status: 403,
    title: 'None of your groups at the provider has a role here',
    advice: 'Ask for a group that has one; the configuration of the provider maps groups to roles.',
  },
  answer_withheld: {
    status: 403,
    title: 'The answer of the device may hold secrets and cannot be looked through',
    advice:
      'Ask for the right `device.read_secrets`; `deviceStatus` is the status of the device, and a write took effect by it.',
  },
  change_reason_required: {
    status: 400,
    title: 'This change needs a reason',
    advice: 'Send X-Change-Reason with the reason for it, such as a ticket.',
  },
  setup_token_refused: {
    status: 403,
    title: 'The set-up token is not valid',
    advice: 'Use the token printed at the last start; it ends after 24 hours, and a restart prints a new one.',
  },
  step_up_required: {
    status: 403,
    title: 'This action wants a second factor that was shown a moment ago',
    advice:
      'Do what `how` says: show a code of the authenticator at POST /v1/self/second-factor, or use an API key that was issued with `scope.stepUp`.',
  },
  rights_not_held: {
    status: 403,
    title: 'Nobody can give rights that they do not hold',
    advice:
      'Ask somebody who holds the permission named in `permission`, for all these devices and paths, or give less.',
  },
  key_beyond_own: {
    status: 403,
    title: 'A key does not issue one that is good for longer, in more places or for more calls than itself',
    advice:
      'Give it an end, networks and a limit within those of your own, which are named here, or issue it signed in.',
  },
  starter_may_not: {
    status: 403,
    title: 'Whoever started the job may not do this any more',
    advice: 'Have it started by somebody who holds the permission named in `permission` on this device.',
  },
  quarantined: {
    status: 409,
    title: 'Two processes ended or stopped answering while they worked on it, so it was stopped',
    advice:
      'Look at the log of the processes, then start the job again, resume the rollout, or save the rest with `enabled`.',
  },
  author_gone: {
    status: 403,
    title: 'Whoever made it may act no more',
    advice: 'They were disabled, or their key was revoked. Save it in your own name, or remove it.',
  },
  author_may_not: {
    status: 403,
    title: 'The author of the rollout does not have permission for each of its devices any more',
    advice:
      'Make the rollout in your own name, or give its author the permission named in `permission` on its devices.',
  },
  approval_own: {
    status: 403,
    title: 'A request is not approved by the person who sent it',
    advice: 'Ask somebody else who holds `approval.decide`.',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such address',
    advice: 'See /docs for the addresses there are.',
  },
  device_not_found: {
    status: 404,
    title: 'There is no such device',
    advice: 'Name it by id, or as name:…, serial:… or mac:…; GET /v1/devices lists them.',
  },
  job_not_found: {
    status: 404,
    title: 'There is no such job',
    advice: 'GET /v1/jobs lists them.',
  },
  sealed_value_not_found: {
    status: 404,
    title: 'There is no such sealed value',
    advice: 'GET /v1/sealed-values lists them; each is removed when its time is over.',
  },
  too_many_sealed_values: {
    status: 409,
    title: 'There are too many sealed values of this key or session',
    advice: 'Remove those that no job needs any more: DELETE /v1/sealed-values/{id}.',
  },
  artifact_not_found: {
    status: 404,
    title: 'There is no such artifact',
    advice: 'GET /v1/artifacts lists them.',
  },
  api_key_not_found: {
    status: 404,
    title: 'There is no such API key',
    advice: 'GET /v1/api-keys lists them.',
  },
  operator_not_found: {
    status: 404,
    title: 'There is no such operator',
    advice: 'GET /v1/operators lists them.',
  },
  session_not_found: {
    status: 404,
    title: 'There is no such session',
    advice: 'GET /v1/self/sessions lists your own, GET /v1/sessions all.',
  },
  oidc_provider_not_found: {
    status: 404,
    title: 'There is no such provider',
    advice: 'GET /v1/oidc lists them.',
  },
  selector_not_found: {
    status: 404,
    title: 'There is no saved selector of this name',
    advice: 'GET /v1/selectors lists them.',
  },
  checkpoint_not_found: {
    status: 404,
    title: 'The audit log has no checkpoint of this size, or not these leaves any more',
    advice: 'Ask with the sizes of signed checkpoints; GET /v1/audit/log has the last one.',
  },
  audit_entry_not_found: {
    status: 404,
    title: 'There is no such audit entry',
    advice: 'GET /v1/audit lists them.',
  },
  approval_not_found: {
    status: 404,
    title: 'There is no such approval',
    advice: 'GET /v1/approvals lists them.',
  },
  lock_not_found: {
    status: 404,
    title: 'There is no such lock',
    advice: 'GET /v1/locks lists those in force.',
  },
  import_not_found: {
    status: 404,
    title: 'There is no such import of yours',
    advice: 'Its address was in `Location` when it was started; it is forgotten after 7 days.',
  },
  role_not_found: {
    status: 404,
    title: 'There is no such role',
    advice: 'GET /v1/roles lists them.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take that method',
    advice: 'See /docs for the methods of each address.',
  },
  setup_finished: {
    status: 409,
    title: 'The set-up was done before',
    advice: 'Use an API key of an administrator; set-up works only while there is no operator.',
  },
  device_exists: {
    status: 409,
    title: 'Another device already has this name, serial number, MAC or base URL',
    advice: 'Choose another value for the field named in `field`, or change the device that has it.',
  },
  selector_exists: {
    status: 409,
    title: 'Another saved selector already has this name',
    advice: 'Choose another name: that selector names devices that you may not see, so you cannot change it.',
  },
  operator_exists: {
    status: 409,
    title: 'Another operator already has this name',
    advice: 'Choose another name; letter case makes no difference.',
  },
  totp_exists: {
    status: 409,
    title: 'There is a second factor already',
    advice: 'Show a code of it to replace it, or have an administrator remove it.',
  },
  totp_not_found: {
    status: 409,
    title: 'There is no second factor',
    advice: 'Begin with POST /v1/self/totp and confirm it with a first code.',
  },
  device_in_use: {
    status: 409,
    title: 'The device has a job that has not ended',
    advice: 'Cancel the job or wait for its end, then try again.',
  },
  device_has_no_credentials: {
    status: 409,
    title: 'No credentials are stored for this device',
    advice: 'Set them with PUT /v1/devices/{ref}/credentials.',
  },
  idempotency_key_running: {
    status: 409,
    retryable: true,
    title: 'The request with this Idempotency-Key has not ended',
    advice:
      'Wait for its end and send it again; when it died without one, GET /v1/audit?requestId=`firstRequestId`&since=`firstAt` says what was done.',
  },
  idempotency_outcome_unknown: {
    status: 409,
    title: 'The request with this Idempotency-Key ended in an error, and may have been carried out',
    advice:
      'GET /v1/audit?requestId=`firstRequestId`&since=`firstAt` says what was done; when that is nothing, send it with a new key.',
  },
  idempotency_answer_withheld: {
    status: 403,
    title: 'Your rights have changed since the request with this Idempotency-Key was carried out',
    advice: 'It is not carried out again. Read what became of it with the rights that you have now.',
  },
  rotation_running: {
    status: 409,
    retryable: true,
    title: 'A key is being replaced already',
    advice: 'Wait for its end; GET /v1/secrets/rotation shows how far it is.',
  },
  rotation_needless: {
    status: 409,
    title: 'There is no other root key to rotate to',
    advice: 'Give all processes the new key beside the old one first; docs/howto/replace-keys.md says how.',
  },
  rotation_unready: {
    status: 409,
    retryable: true,
    title: 'A process that is running was not given the new root key',
    advice: 'Start every process with both keys; one that ended is waited for 30 seconds.',
  },
  audit_busy: {
    status: 409,
    retryable: true,
    title: 'The audit is being verified or exported already',
    advice: 'Wait for the end of the one that runs; each process runs one at a time.',
  },
  webhook_not_found: {
    status: 404,
    title: 'There is no such webhook',
    advice: 'GET /v1/webhooks lists them.',
  },
  webhook_delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    advice: 'GET /v1/webhooks/{webhookId}/deliveries lists those of a week.',
  },
  webhook_exists: {
    status: 409,
    title: 'There is a webhook with this name',
    advice: 'Choose another name, or change that webhook with PUT.',
  },
  rollout_not_found: {
    status: 404,
    title: 'There is no such rollout',
    advice: 'GET /v1/rollouts lists them.',
  },
  rollout_target_not_found: {
    status: 404,
    title: 'The device takes no part in this rollout',
    advice: 'GET /v1/rollouts/{rolloutId}/devices lists those that do.',
  },
  rollout_wave_not_found: {
    status: 404,
    title: 'The rollout has no such wave',
    advice: 'Waves are counted from 0; GET /v1/rollouts/{rolloutId} lists them.',
  },
  backup_policy_not_found: {
    status: 404,
    title: 'There is no such policy of backups',
    advice: 'GET /v1/backups/policies lists them.',
  },
  backup_unreadable: {
    status: 422,
    title: 'The backup cannot be opened',
    advice:
      'Use another one: `why` says what is wrong with it, and GET /v1/backups/coverage which devices are concerned.',
  },
  backup_policy_exists: {
    status: 409,
    title: 'There is a policy of backups with this name',
    advice: 'Choose another name, or replace that policy with PUT.',
  },
  schedule_not_found: {
    status: 404,
    title: 'There is no such schedule',
    advice: 'GET /v1/schedules lists them.',
  },
  schedule_exists: {
    status: 409,
    title: 'There is a schedule with this name',
    advice: 'Choose another name, or replace that schedule with PUT.',
  },
  rollout_wrong_state: {
    status: 409,
    title: 'This cannot be done in the present state',
    advice: 'Where it stands is in `state`, in which states this can be done in `possibleIn`.',
  },
  rollout_not_approved: {
    status: 409,
    title: 'With these devices the rollout wants the approval of a second person, and has none',
    advice: 'Make a rollout of them: it is approved by somebody else when it is started.',
  },
  rollout_has_no_way_back: {
    status: 409,
    title: 'What this kind of job does cannot be taken back by itself',
    advice: 'Which kinds can is in `kinds`. For others start a rollout that does the opposite.',
  },
  rollout_is_empty: {
    status: 422,
    title: 'No device takes part in this rollout',
    advice: 'Sent with `dryRun`, it says for each device of the selector why it is left out.',
  },
  rollout_too_large: {
    status: 422,
    title: 'The selector names more devices than one rollout can take',
    advice: 'Cut it into several, for instance by site.',
  },
  job_not_cancellable: {
    status: 409,
    title: 'The job cannot be cancelled any more',
    advice: 'It has ended, or it is past the point of no return and goes on to a verified end.',
  },
  last_administrator: {
    status: 409,
    title: 'Nobody could administer the gateway any more',
    advice: 'Give another administrator a key that is not narrowed, or a password, first.',
  },
  approval_required: {
    status: 409,
    title: 'So many devices want the approval of a second person',
    advice:
      'Have `approvalId` approved at POST /v1/approvals/{approvalId}/approve, then send the same request with the header Approval-Id.',
  },
  approval_over: {
    status: 409,
    title: 'The approval is decided, used or has expired',
    advice: 'Send the request again without Approval-Id to ask for a new one.',
  },
  approval_mismatch: {
    status: 409,
    title: 'The approval is not for this request',
    advice: 'Send exactly the request that was approved, for devices that it was approved for; ask anew for others.',
  },
  role_built_in: {
    status: 409,
    title: 'Built-in roles are the same everywhere and cannot be changed',
    advice: 'Save a role of your own under another name.',
  },
  selection_changed: {
    status: 409,
    title: 'The selector names other devices than those of the digest',
    advice: 'Look at them again with `dryRun`, and send the new `digest` as `expectedDigest`.',
  },
  import_ended: {
    status: 409,
    title: 'The import has ended',
    advice: 'GET /v1/imports/{importId} says what became of it.',
  },
  import_cancelled: {
    status: 409,
    title: 'The import was cancelled, and changed nothing',
    advice: 'Send it again if that was a mistake.',
  },
  role_in_use: {
    status: 409,
    title: 'An operator has this role',
    advice: 'Give them other roles first, with PUT /v1/operators/{operatorId}/roles.',
  },
  version_changed: {
    status: 412,
    title: 'The resource was changed by someone else',
    advice: 'Read it again and send the new ETag in If-Match.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is larger than allowed',
    advice: 'Send at most `limitBytes` bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not one that this address takes',
    advice: 'Send application/json.',
  },
  password_refused: {
    status: 422,
    title: 'The password is too easy to guess',
    advice: 'Choose one of 12 to 128 characters that is not among the common ones; `reason` says what was wrong.',
  },
  base_url_refused: {
    status: 422,
    title: 'A device cannot have this base URL',
    advice: 'Give https://host[:port] of the device and nothing more; `reason` says what was refused.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key belongs to another request',
    advice: 'Use a new key for a new request; a key is remembered for 24 hours.',
  },
  import_refused: {
    status: 422,
    title: 'The import has lines that cannot be taken, so nothing was imported',
    advice: 'Correct the lines named in `errors`, or import the good ones with onError=skip.',
  },
  locked: {
    status: 423,
    retryable: true,
    title: 'Somebody has locked this for now',
    advice:
      'See in `locked`, `reason`, `until` and `by` what, why, until when and by whom; it is lifted at DELETE /v1/locks/{lockId}.',
  },
  too_many_imports: {
    status: 429,
    retryable: true,
    title: 'Too many imports are running',
    advice: 'Wait until one of them has ended.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many calls for this key or this operator',
    advice:
      'Wait Retry-After seconds; the RateLimit headers tell what is left, and a call costs one for each device it touches.',
  },
  too_many_fan_outs: {
    status: 429,
    retryable: true,
    title: 'This key or session has too many fan-outs open',
    advice: 'Read the open ones to their end or close them, then try again; `limit` is the largest number.',
  },
  too_many_streams: {
    status: 429,
    retryable: true,
    title: 'Too many event streams for this key or this session',
    advice: 'Close a stream, or follow all types in one stream; `limit` says how many a key or session may have open.',
  },
  login_throttled: {
    status: 429,
    retryable: true,
    title: 'Too many tries to sign in',
    advice: 'Wait Retry-After seconds; nothing is locked, and other addresses are not affected.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    title: 'The gateway met an error of its own',
    advice: 'Try again; if it stays, look up `requestId` in the log of the gateway.',
  },
  artifact_in_use: {
    status: 409,
    title: 'The artifact is used by a job or a rollout that has not ended, or by a schedule',
    advice: 'Wait for the end of the `jobs` and `rollouts`, or end them, and disable the `schedules`; then try again.',
  },
  artifact_digest_mismatch: {
    status: 422,
    title: 'The bytes do not have the digest that was claimed',
    advice: 'Compare `claimed` and `received`; send the whole file again, or the right digest.',
  },
  artifact_signature_refused: {
    status: 422,
    title: 'The signature is not one of a known key over these bytes',
    advice: 'Sign the SHA-256 digest with a key of ARTIFACT_PUBLIC_KEYS; docs/howto/sign-artifacts.md shows how.',
  },
  artifact_quota_exceeded: {
    status: 507,
    title: 'There is no room for more artifacts',
    advice: 'Delete artifacts that are not needed, or raise ARTIFACT_QUOTA_BYTES.',
  },
  disk_full: {
    status: 507,
    retryable: true,
    title: 'A disk of the gateway, or of its database, is full',
    advice:
      'Free space where DATA_DIR, the archive of the audit and the database are; then try again. Reads still work.',
  },
  artifact_changed: {
    status: 409,
    title: 'The artifact is not the one that was meant',
    advice: 'Compare `expectedSha256` and `foundSha256`; start again with the artifact that is wanted.',
  },
  artifact_damaged: {
    status: 500,
    title: 'The stored bytes of the artifact are missing or not the ones that were stored',
    advice: 'Restore the artifact store from its backup, or make the artifact again.',
  },
  secret_unreadable: {
    status: 500,
    title: 'A stored secret cannot be opened',
    advice: 'Store the secret again; the sealed value was altered or moved, or its root key is missing.',
  },
  device_unreachable: {
    status: 502,
    retryable: true,
    title: 'No connection to the device could be made',
    advice: 'Check that the device is on, reachable from the gateway, and that its base URL is right.',
  },
  device_address_refused: {
    status: 502,
    title: 'The name of the device leads to an address that is never a device',
    advice: 'Correct the base URL or the DNS record; DEVICE_ALLOWED_CIDRS narrows what is allowed.',
  },
  device_trust_changed: {
    status: 502,
    title: 'The device shows another certificate than before',
    advice: 'Compare both fingerprints with the device; accept the new one with PUT /v1/devices/{ref}/trust.',
  },
  identity_mismatch: {
    status: 502,
    title: 'Another device answers at this address',
    advice:
      'If the device was replaced, set its new serial number with PATCH /v1/devices/{ref}; otherwise correct its base URL.',
  },
  device_tls_failed: {
    status: 502,
    retryable: true,
    title: 'The TLS handshake with the device failed',
    advice: 'Check the trust setting of the device and that it offers TLS 1.2 or newer.',
  },
  device_credentials_refused: {
    status: 502,
    title: 'The device refuses the stored credentials',
    advice: 'Correct them with PUT /v1/devices/{ref}/credentials; the gateway does not try refused ones again.',
  },
  device_login_failed: {
    status: 502,
    retryable: true,
    title: 'The device answered the login with something that is not a session',
    advice: 'Look at `deviceErrors`; a device in its first login wants its password changed on the device itself.',
  },
  device_answer_invalid: {
    status: 502,
    title: 'The answer of the device is not what its contract says',
    advice: 'Read the same path through the passthrough to see the answer as it is.',
  },
  device_answer_too_large: {
    status: 502,
    title: 'The answer of the device is larger than allowed',
    advice: 'Ask the device for less.',
  },
  device_answer_cut: {
    status: 502,
    retryable: true,
    title: 'The answer of the device broke off',
    advice: 'Nothing is known to have changed on a read; try again.',
  },
  call_given_up: {
    status: 503,
    retryable: true,
    title: 'The call was given up before anything was sent',
    advice: 'Whoever asked for it was gone, or stopped; make it again.',
  },
  device_outcome_unknown: {
    status: 502,
    title: 'The device may or may not have carried out the request',
    advice: 'Read the state of the device before anything is sent again.',
  },
  device_refused: {
    status: 502,
    title: 'The device refused the request',
    advice: 'Look at `deviceErrors`: they are the error objects of the device, untouched.',
  },
  oidc_unavailable: {
    status: 503,
    retryable: true,
    title: 'The provider of the sign-in cannot be reached',
    advice: 'Try again shortly; local accounts are not affected.',
  },
  import_interrupted: {
    status: 503,
    retryable: true,
    title: 'The import was interrupted by a stop of the gateway, and changed nothing',
    advice: 'Send it again.',
  },
  database_unavailable: {
    status: 503,
    retryable: true,
    title: 'The database cannot be reached',
    advice:
      'Try again shortly; nothing was sent to a device. The same Idempotency-Key tells whether anything else may have been done.',
  },
  login_queue_full: {
    status: 503,
    retryable: true,
    title: 'Too many sign-ins at once',
    advice: 'Try again after Retry-After seconds.',
  },
  device_circuit_open: {
    status: 503,
    retryable: true,
    title: 'The device, or the path that is named, failed so often that the gateway sends it nothing for a while',
    advice: 'Try again after Retry-After seconds.',
  },
  device_queue_full: {
    status: 503,
    retryable: true,
    title: 'Too many calls already wait for this device',
    advice: 'Send fewer calls at once to this device.',
  },
  shutting_down: {
    status: 503,
    retryable: true,
    title: 'The gateway is shutting down',
    advice: 'Try again; another replica or the next start answers.',
  },
  worker_stalled: {
    status: 503,
    retryable: true,
    title: 'The worker stood still for so long that the job may not be its own any more',
    advice: 'Nothing was sent, and the job goes on by itself; look for what keeps the worker from running.',
  },
  device_timeout: {
    status: 504,
    retryable: true,
    title: 'The device did not answer in time',
    advice: 'Try again later; slow device links may need a longer deadline.',
  },
} as const satisfies Record<string, ErrorInfo>;

export type ErrorCode = keyof typeof ERRORS;

/** What a caller may see beside the code; never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * `facts` are safe to show to the caller and to log. `cause` is for the log only:
 * the message of this error does not repeat the message of its cause.
 */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly facts: Facts = {},
    options?: ErrorOptions,
  ) {
    super(ERRORS[code].title, options);
    this.name = 'AppError';
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return (ERRORS[this.code] as ErrorInfo).retryable ?? false;
  }
}

/** Whether something is refused, and would be so again the next time. */
export function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500 && !error.retryable;
}

/** "a: b: c" - the whole chain of causes, each link said once. For logs. */
export function errorChain(error: unknown): string {
  const links: string[] = [];
  for (let link: unknown = error; link instanceof Error; link = link.cause) {
    if (!links.includes(link.message)) links.push(link.message);
  }
  return links.join(': ') || String(error);
}

/** Codes of Postgres that mean "not there now" (PostgreSQL, Appendix A: classes 08, 53, 57P). */
const SERVER_AWAY = /^(08...|53[0234]00|57P0[1-5])$/;

/** Of the operating system, and of Postgres (class 53). */
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Codes of Postgres for values that no column can hold (class 22): what was sent is wrong, not what we do with it. */
const BAD_VALUE = /^22/;

const SOCKET_AWAY = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/;

const DRIVER_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after|Client has encountered a connection error/;

interface DriverError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly driverError?: unknown;
}

/**
 * Whether an error of the database driver says that the database is away rather than that a statement is wrong. A bare
 * socket error counts only when a connection was being made: others are of a client that left.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall, message, driverError } = error as DriverError;
  if (SERVER_AWAY.test(code) || DRIVER_WORDS.test(message)) return true;
  if (SOCKET_AWAY.test(code) && (syscall === 'connect' || syscall === 'getaddrinfo')) return true;
  if (!(driverError instanceof Error) || driverError === error) return false;
  return SOCKET_AWAY.test((driverError as DriverError).code ?? '') || isDatabaseAway(driverError);
}

/** Whether there was no room to write, in a file or in the database. */
export function isDiskFull(error: unknown): boolean {
  const { code = '', driverError } = (error ?? {}) as Partial<DriverError>;
  return DISK_FULL.has(code) || (driverError instanceof Error && driverError !== error && isDiskFull(driverError));
}

/** Whether the database refused a value that came from outside. */
export function isBadValue(error: unknown): boolean {
  const { code, driverError } = (error ?? {}) as DriverError;
  return (typeof code === 'string' && BAD_VALUE.test(code)) || (driverError !== undefined && isBadValue(driverError));
}
