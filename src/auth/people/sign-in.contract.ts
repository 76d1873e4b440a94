import { z } from 'zod';
import { instant } from '../../http/endpoint.js';

/** Longer than any accepted password, so that the error for one that is too long is about passwords. */
const password = z.string().min(1).max(512);

const code = z
  .string()
  .trim()
  .min(6)
  .max(40)
  .describe('Six digits of the authenticator, or a recovery code; each works once')
  .meta({ examples: ['123456'] });

export const loginInput = z
  .strictObject({ name: z.string().trim().min(1).max(120), password, code: code.optional() })
  .meta({ id: 'Login' });
export type LoginInput = z.output<typeof loginInput>;

export const loginView = z
  .object({
    operatorId: z.uuid(),
    operatorName: z.string(),
    endsAt: instant.describe('The session ends then at the latest, or earlier when it is idle'),
  })
  .meta({ id: 'SignedIn' });

export const passwordInput = z
  .strictObject({ currentPassword: password, newPassword: password })
  .meta({ id: 'ChangePassword' });
export type PasswordInput = z.output<typeof passwordInput>;

export const invitationView = z
  .object({
    token: z.string().describe('Shown only now; the person uses it at POST /v1/invitations/accept'),
    url: z.string().describe('The address to give to the person: its fragment is the token, which no server sees'),
    expiresAt: instant,
  })
  .meta({ id: 'Invitation' });

export const acceptInput = z
  .strictObject({ token: z.string().min(1).max(200), password })
  .meta({ id: 'AcceptInvitation' });
export type AcceptInput = z.output<typeof acceptInput>;

export const enrolInput = z
  .strictObject({ password: password.optional().describe('Your password, when you have one') })
  .meta({ id: 'BeginSecondFactor' });
export type EnrolInput = z.output<typeof enrolInput>;

export const enrolmentView = z
  .object({
    secret: z.string().describe('In base32, to type in; shown only now'),
    uri: z.string().describe('otpauth://…, to show as a QR code'),
  })
  .meta({ id: 'SecondFactorEnrolment' });

export const codeInput = z.strictObject({ code }).meta({ id: 'SecondFactorCode' });
export type CodeInput = z.output<typeof codeInput>;

export const recoveryCodesView = z
  .object({ recoveryCodes: z.array(z.string()).describe('Each works once; shown only now') })
  .meta({ id: 'RecoveryCodes' });

export const secondFactorView = z.object({ secondFactorAt: instant }).meta({ id: 'SecondFactorShown' });

export const sessionView = z
  .object({
    id: z.uuid(),
    operatorId: z.uuid(),
    operatorName: z.string(),
    way: z.enum(['password', 'oidc']),
    madeAt: instant,
    endsAt: instant,
    secondFactorAt: instant.nullable(),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    lastSeenAt: instant.describe('To the minute'),
    lastSeenAddress: z.string().nullable(),
    current: z.boolean().describe('Whether it is the session of this request'),
  })
  .meta({ id: 'Session' });

export const sessionList = z.object({ items: z.array(sessionView) }).meta({ id: 'SessionList' });

export const sessionQuery = z.strictObject({ operatorId: z.uuid().optional() });
export type SessionQuery = z.output<typeof sessionQuery>;

export const providerList = z
  .object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
  .meta({ id: 'OidcProviderList' });

export const oidcLoginQuery = z.strictObject({
  returnTo: z
    .string()
    .max(500)
    .regex(/^\/(?![/\\])[\w/.~?=&%#:-]*$/, 'must be a path of the gateway')
    .default('/')
    .describe('Where to go after sign-in'),
});
export type OidcLoginQuery = z.output<typeof oidcLoginQuery>;
