import { type ErrorInfo } from './error-info.js';

/** Errors of credentials: sign-in, second factors, sessions, API keys and operators. */
export const SIGN_IN_ERRORS = {
  unauthenticated: {
    status: 401,
    title: 'The request has no valid API key and no session',
    advice: 'Send Authorization: Bearer <API key>, or sign in at POST /v1/login.',
  },
  login_refused: {
    status: 401,
    title: 'Wrong name or password',
    advice: 'Check both. If the password is lost, ask an administrator for an invitation to set a new one.',
  },
  login_throttled: {
    status: 429,
    retryable: true,
    title: 'Too many sign-in attempts',
    advice: 'Wait Retry-After seconds. The account is not locked, and other addresses are not affected.',
  },
  login_queue_full: {
    status: 503,
    retryable: true,
    title: 'Too many sign-ins at once',
    advice: 'Try again after Retry-After seconds.',
  },
  password_refused: {
    status: 422,
    title: 'The password is too easy to guess',
    advice: 'Choose 12 to 128 characters that are not a common password. `reason` says what was wrong.',
  },
  second_factor_required: {
    status: 401,
    title: 'This account has a second factor, and the request has no code',
    advice: "Send the authenticator's code, or a recovery code, as `code`.",
  },
  second_factor_refused: {
    status: 401,
    title: 'The code is wrong or has expired',
    advice: 'Send the next code that the authenticator shows. Each code works once.',
  },
  totp_exists: {
    status: 409,
    title: 'There is already a second factor',
    advice: 'Show one of its codes to replace it, or ask an administrator to remove it.',
  },
  totp_not_found: {
    status: 409,
    title: 'There is no second factor',
    advice: 'Start with POST /v1/self/totp, then confirm it with a first code.',
  },
  step_up_required: {
    status: 403,
    title: 'This action needs a second factor that was shown recently',
    advice:
      'Do what `how` says: show an authenticator code at POST /v1/self/second-factor, or use an API key issued with `scope.stepUp`.',
  },
  session_required: {
    status: 403,
    title: 'Only a signed-in person may do this',
    advice: 'Sign in at POST /v1/login, and send the request in that session.',
  },
  session_not_found: {
    status: 404,
    title: 'There is no such session',
    advice: 'GET /v1/self/sessions lists your own, GET /v1/sessions lists all.',
  },
  cross_site_refused: {
    status: 403,
    title: 'A page of another site sent this request with the session of a signed-in person',
    advice:
      'Send it from a page of the gateway itself. The header Origin of a write with the cookie is the scheme and host of ' +
      'PUBLIC_URL, without a path. Programs use an API key.',
  },
  address_refused: {
    status: 403,
    title: 'This API key may not be used from this address',
    advice: 'Use it from one of its networks, or ask for a change of its networks.',
  },
  invitation_refused: {
    status: 403,
    title: 'The invitation is not valid',
    advice: 'Ask for a new one. An invitation ends when it is used, replaced or expired.',
  },
  oidc_refused: {
    status: 403,
    title: 'The sign-in at the provider failed',
    advice: 'Try again. If it fails again, an administrator finds the cause in the audit and the log by `requestId`.',
  },
  oidc_no_role: {
    status: 403,
    title: 'None of your groups at the provider has a role here',
    advice: 'Ask for a group that has one. The configuration of the provider maps groups to roles.',
  },
  oidc_groups_withheld: {
    status: 403,
    title: 'The provider sent a link to your groups instead of the groups',
    advice:
      'Ask an administrator to let the provider send only the groups of this application, or its roles. Entra sends a ' +
      'link for a person in more than 200 groups. Your roles here did not change.',
  },
  oidc_unavailable: {
    status: 503,
    retryable: true,
    title: 'The gateway cannot reach the sign-in provider',
    advice: 'Try again shortly. Local accounts are not affected.',
  },
  oidc_provider_not_found: {
    status: 404,
    title: 'There is no such provider',
    advice: 'GET /v1/oidc lists them.',
  },
  setup_token_refused: {
    status: 403,
    title: 'The set-up token is not valid',
    advice: 'Use the token printed at the last start. It expires after 24 hours, and a restart prints a new one.',
  },
  setup_finished: {
    status: 409,
    title: 'The gateway is already set up',
    advice: "Use an administrator's API key. Set-up works only while there is no operator.",
  },
  api_key_not_found: {
    status: 404,
    title: 'There is no such API key',
    advice: 'GET /v1/api-keys lists them.',
  },
  key_beyond_own: {
    status: 403,
    title: 'A key cannot issue a key with a later end, more networks or a higher limit than its own',
    advice:
      'Stay within the end, the networks and the limit of your own key, which the answer names. Or sign in to issue it.',
  },
  operator_not_found: {
    status: 404,
    title: 'There is no such operator',
    advice: 'GET /v1/operators lists them.',
  },
  operator_exists: {
    status: 409,
    title: 'Another operator already has this name',
    advice: 'Choose another name. Upper and lower case are the same.',
  },
  last_administrator: {
    status: 409,
    title: 'No administrator of the gateway would be left',
    advice: 'First give another administrator a key without a narrowing scope, or a password.',
  },
} as const satisfies Record<string, ErrorInfo>;
