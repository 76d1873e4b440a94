import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { AppError } from '../../platform/errors.js';
import { type Principal } from '../access/access.js';
import { Accounts } from './accounts.service.js';
import { OperatorSessions, type OperatorSession, type SignInSource } from './operator-sessions.service.js';
import { cookieHeader, refuseForeignPage } from '../access/session-cookie.js';
import * as contract from './sign-in.contract.js';
import { SignIn } from './sign-in.service.js';

@ApiTags('Sign-in')
@Controller('v1')
export class SignInController {
  constructor(
    @Inject(SignIn) private readonly signIn: SignIn,
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Post('login')
  @Endpoint({
    summary: 'Signs a person in: the answer sets the cookie of their session',
    description:
      'Programs use API keys. With a second factor and no `code`, the answer to a correct password is ' +
      '`second_factor_required`.',
    permission: 'anonymous',
    audit: 'login.succeed',
    answer: contract.loginView,
    errors: [
      'invalid_input',
      'login_refused',
      'second_factor_required',
      'second_factor_refused',
      'cross_site_refused',
      'login_throttled',
      'login_queue_full',
    ],
  })
  async login(
    @Body({ schema: contract.loginInput }) body: contract.LoginInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    refuseForeignPage(request, this.config);
    const { token, ...session } = await this.signIn.withPassword(body, sourceOfRequest(request));
    const maxAgeS = this.config.SESSION_MAX_HOURS * 3_600;
    void reply.header('set-cookie', cookieHeader(request, this.config, { value: token, maxAgeS }));
    return session;
  }

  @Post('logout')
  @Endpoint({
    summary: 'Ends the session of this request',
    permission: 'self.read',
    audit: 'session.logout',
    replay: 'no: it affects the session itself, and repeating it is harmless',
    status: 204,
    errors: ['session_required', 'session_not_found'],
  })
  async logout(
    @CurrentActor() actor: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.sessions.revoke(requireSession(actor), actor.operatorId, actor);
    void reply.header('set-cookie', cookieHeader(request, this.config, { value: '', maxAgeS: 0 }));
  }

  @Get('self/sessions')
  @Endpoint({ summary: 'Lists your own sessions', permission: 'self.read', scans: false, answer: contract.sessionList })
  async listOwn(@CurrentActor() actor: Principal) {
    return { items: marked(await this.sessions.list(actor.operatorId), actor) };
  }

  @Delete('self/sessions/:sessionId')
  @Endpoint({
    summary: 'Ends one of your own sessions, everywhere at once',
    permission: 'self.change',
    audit: 'session.revoke',
    status: 204,
    errors: ['session_not_found'],
  })
  revokeOwn(@Param('sessionId', { schema: z.uuid() }) sessionId: string, @CurrentActor() actor: Principal) {
    return this.sessions.revoke(sessionId, actor.operatorId, actor);
  }

  @Get('sessions')
  @Endpoint({
    summary: 'Lists the sessions of all operators, the last 1,000',
    permission: 'operator.manage',
    scans: true,
    answer: contract.sessionList,
  })
  async list(@Query({ schema: contract.sessionQuery }) query: contract.SessionQuery, @CurrentActor() actor: Principal) {
    return { items: marked(await this.sessions.list(query.operatorId ?? null), actor) };
  }

  @Delete('sessions/:sessionId')
  @Endpoint({
    summary: 'Ends a session of any operator, everywhere at once',
    permission: 'operator.manage',
    audit: 'session.revoke',
    whileLocked: true, // it takes access away
    status: 204,
    errors: ['session_not_found'],
  })
  revoke(@Param('sessionId', { schema: z.uuid() }) sessionId: string, @CurrentActor() actor: Principal) {
    return this.sessions.revoke(sessionId, null, actor);
  }

  @Post('self/password')
  @Endpoint({
    summary: 'Changes your password; all your other sessions end',
    permission: 'self.change',
    audit: 'password.change',
    status: 204,
    errors: ['session_required', 'login_refused', 'password_refused', 'login_throttled', 'login_queue_full'],
  })
  changePassword(
    @Body({ schema: contract.passwordInput }) body: contract.PasswordInput,
    @CurrentActor() actor: Principal,
  ) {
    requireSession(actor);
    return this.accounts.changePassword(body.currentPassword, body.newPassword, actor);
  }

  @Post('invitations/accept')
  @Endpoint({
    summary: 'Sets a password with an invitation, once; then sign in',
    permission: 'anonymous',
    audit: 'password.set',
    status: 204,
    errors: ['invalid_input', 'invitation_refused', 'password_refused', 'cross_site_refused', 'login_queue_full'],
  })
  accept(@Body({ schema: contract.acceptInput }) body: contract.AcceptInput, @Req() request: FastifyRequest) {
    refuseForeignPage(request, this.config);
    return this.accounts.accept(body.token, body.password, sourceOfRequest(request));
  }
}

/** @throws AppError `session_required` for an API key */
export function requireSession({ sessionId }: Principal): string {
  if (sessionId === null) throw new AppError('session_required');
  return sessionId;
}

export function sourceOfRequest(request: FastifyRequest): SignInSource {
  return { requestId: request.id, address: request.callerAddress, userAgent: request.headers['user-agent'] ?? null };
}

const marked = (sessions: readonly OperatorSession[], actor: Principal) =>
  sessions.map((session) => ({ ...session, current: session.id === actor.sessionId }));
