import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ownPath, ownPrefix, ownUrl } from '../../platform/addresses/own-address.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { Endpoint } from '../../http/endpoint.js';
import { Oidc, FLOW_SECONDS } from './oidc.service.js';
import { cookieHeader, readCookie } from '../access/session-cookie.js';
import * as contract from './sign-in.contract.js';
import { sourceOfRequest } from './sign-in.controller.js';

const providerId = z.string().regex(/^[a-z0-9-]{1,40}$/);

const FLOW_SUFFIX = '-oidc';

@ApiTags('Sign-in')
@Controller('v1/oidc')
export class OidcController {
  constructor(
    @Inject(Oidc) private readonly oidc: Oidc,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Lists the OpenID providers for sign-in',
    permission: 'anonymous',
    answer: contract.providerList,
  })
  list() {
    return { items: this.oidc.list() };
  }

  @Get(':providerId/login')
  @Endpoint({
    summary: 'Sends the browser to an OpenID provider to sign in',
    permission: 'anonymous',
    status: 302,
    errors: ['invalid_input', 'oidc_provider_not_found', 'oidc_unavailable'],
  })
  async begin(
    @Param('providerId', { schema: providerId }) id: string,
    @Query({ schema: contract.oidcLoginQuery }) { returnTo }: contract.OidcLoginQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const redirectUri = ownUrl(`/v1/oidc/${id}/callback`, request, this.config);
    const { url, cookie: sealed } = await this.oidc.begin(id, redirectUri, returnTo);
    // Lax: the browser must send it with the provider's redirect.
    const cookie = { value: sealed, maxAgeS: FLOW_SECONDS, suffix: FLOW_SUFFIX, sameSite: 'Lax' } as const;
    void reply.header('set-cookie', cookieHeader(request, this.config, cookie)).header('location', url);
  }

  @Get(':providerId/callback')
  @Endpoint({
    summary: 'Signs in a person who returns from an OpenID provider',
    permission: 'anonymous',
    audit: 'login.succeed',
    produces: { 'text/html': { example: pageTo('/') } },
    errors: [
      'oidc_provider_not_found',
      'oidc_refused',
      'oidc_no_role',
      'oidc_groups_withheld',
      'last_administrator',
      'login_throttled',
      'database_unavailable',
      'disk_full',
    ],
  })
  async finish(
    @Param('providerId', { schema: providerId }) id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const returned = readCookie(request, this.config, FLOW_SUFFIX);
    const query = request.url.split('?')[1] ?? '';
    void reply.header('set-cookie', cookieHeader(request, this.config, { value: '', maxAgeS: 0, suffix: FLOW_SUFFIX }));
    const { session, returnTo } = await this.oidc.finish(id, returned, query, sourceOfRequest(request));
    const maxAgeS = this.config.SESSION_MAX_HOURS * 3_600;
    void reply
      .header('set-cookie', cookieHeader(request, this.config, { value: session.token, maxAgeS }))
      .header('content-security-policy', "default-src 'none'")
      .type('text/html; charset=utf-8');
    return pageTo(ownPath(returnTo, ownPrefix(this.config)));
  }
}

/**
 * A page that redirects itself. The request came from another site, so after an HTTP redirect the browser would not
 * send the session cookie, which is `SameSite=Strict`.
 */
function pageTo(path: string): string {
  const address = path.replaceAll('&', '&amp;');
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>Signed in</title><a href="${address}">Continue</a>`;
}
