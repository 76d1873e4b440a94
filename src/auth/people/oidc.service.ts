import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { ADVISORY_LOCK, ADVISORY_LOCK_OF } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { errorChain } from '../../platform/errors/error-chain.js';
import { errorFields, LOG } from '../../platform/log.js';
import { SlotQueue } from '../../platform/limits/slot-queue.js';
import { Secrets } from '../../secrets/secrets.js';
import { keepAdministrator } from '../rights/administrators.js';
import { sourceOf } from '../rights/address-list.js';
import { Buckets } from '../../platform/limits/token-bucket.js';
import { LoginThrottle } from '../limits/login-throttle.js';
import { rolesOf, textsOf } from './oidc-claims.js';
import { asksForTokens, OidcClient, type OidcPerson, type OidcFlow } from './oidc-client.js';
import { readProviders, type OidcProvider } from './oidc-providers.js';
import { actorFields, OperatorSessions, type NewSession, type SignInSource } from './operator-sessions.service.js';
import { OperatorsService } from './operators.service.js';
import { RightsService, type Assignment } from '../rights/rights.service.js';
import { RolesService } from '../access/roles.service.js';

/*
 * Sign-in through an OpenID provider. A person is identified by issuer and subject. Names and addresses can change or
 * be reassigned at the provider, so they never link accounts. The person's groups at each sign-in determine the roles.
 * The gateway stores no state of a sign-in in progress: it is sealed in a cookie.
 */

/**
 * Attempts are counted for a browser that went to the provider, and for a person whom the provider named. They are not
 * counted for an address: anyone behind it can open the call-back, and would lock out all others there. Of the
 * requests that they cause at the provider, a source has a few in progress, and others wait for their turn.
 */
const FLOWS_MAX = 10_000;

/** Token requests of one source in progress. */
const TOKEN_REQUESTS = 8;

/** Seconds that a sign-in at a provider may take. */
export const FLOW_SECONDS = 600;

const NAME_MAX = 100;

interface FlowCookie extends OidcFlow {
  readonly returnTo: string;
  readonly redirectUri: string;
  readonly endsAt: number;
}

type Refusal = 'no_role' | 'groups_withheld' | 'disabled';

const REFUSAL_CODES = {
  no_role: 'oidc_no_role',
  groups_withheld: 'oidc_groups_withheld',
  disabled: 'oidc_refused',
} as const satisfies Record<Refusal, ErrorCode>;

interface RefusedSignIn {
  readonly refusal: Refusal;
  /** null: no operator has this identity. */
  readonly operatorId: string | null;
}

@Injectable()
export class Oidc implements OnModuleInit {
  private clients = new Map<string, OidcClient>();
  /** Apart from other counters: anyone can begin a sign-in, and so make one here. */
  private readonly flows: Buckets;
  private readonly tokenRequests = new SlotQueue({ perKey: TOKEN_REQUESTS });

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(RolesService) private readonly roles: RolesService,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(OperatorSessions) private readonly sessions: OperatorSessions,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.flows = new Buckets(clock, FLOWS_MAX);
  }

  async onModuleInit(): Promise<void> {
    const providers = await readProviders(this.config);
    this.clients = new Map(providers.map((provider) => [provider.id, new OidcClient(provider, this.clock)]));
    await this.warnOfUnknownRoles(providers);
  }

  /** A role may be saved later, so it does not stop the start; until then members of its groups cannot sign in. */
  private async warnOfUnknownRoles(providers: readonly OidcProvider[]): Promise<void> {
    if (providers.length === 0) return;
    const known = new Set((await this.roles.list()).map(({ name }) => name));
    for (const { id, roles } of providers) {
      const unknown = [...new Set(Object.values(roles).flat())].filter((name) => !known.has(name));
      if (unknown.length > 0)
        this.log.warn(`OIDC_PROVIDERS: ${id} names roles that do not exist: ${unknown.join(', ')}`);
    }
  }

  list(): Pick<OidcProvider, 'id' | 'name'>[] {
    return [...this.clients.values()].map(({ provider: { id, name } }) => ({ id, name }));
  }

  /**
   * Starts a sign-in.
   * @returns the provider's URL, and the cookie's value
   * @throws AppError `oidc_provider_not_found`, `oidc_unavailable`
   */
  async begin(providerId: string, redirectUri: string, returnTo: string): Promise<{ url: string; cookie: string }> {
    const oidc = this.find(providerId);
    const nowMs = this.clock.nowMs();
    try {
      const { url, flow } = await oidc.begin(redirectUri);
      const cookie: FlowCookie = { ...flow, returnTo, redirectUri, endsAt: nowMs + FLOW_SECONDS * 1_000 };
      return { url, cookie: this.secrets.seal(JSON.stringify(cookie), cookieOf(providerId)).toString('base64url') };
    } catch (cause) {
      this.log.warn({ name: providerId, ...errorFields(cause) }, 'A sign-in provider cannot be reached');
      throw new AppError('oidc_unavailable', {}, { cause });
    }
  }

  /**
   * @param cookie the cookie's value
   * @param query of the callback's URL
   * @throws AppError `oidc_provider_not_found`, `oidc_refused`, `oidc_no_role`, `oidc_groups_withheld`,
   *   `login_throttled`, `last_administrator`
   */
  async finish(
    providerId: string,
    cookie: string | null,
    query: string,
    source: SignInSource,
  ): Promise<{ session: NewSession; returnTo: string }> {
    const oidc = this.find(providerId);
    const loginActor: Actor = { actorId: 'login', name: 'login', reason: null, ...actorFields(source) };
    const { provider } = oidc;
    const refuse = (cause: unknown) => this.refuse(providerId, cause, loginActor);
    const flow = await this.openFlow(providerId, cookie).catch(refuse);
    await this.throttle.charge(flow.state, loginActor, `browser:${providerId}`, this.flows);
    const returned = new URL(`${flow.redirectUri}?${query}`);
    const ask = () => oidc.finish(returned, flow);
    const asking = asksForTokens(returned, flow) ? this.tokenRequests.run(sourceOf(source.address ?? ''), ask) : ask();
    const person = await asking.catch(refuse);
    const attempt = await this.throttle.charge(
      `${person.issuer} ${person.subject}`,
      loginActor,
      `person:${providerId}`,
    );
    const result = await this.db.transaction((tx) => this.signInPerson(tx, person, provider, source, loginActor));
    if (result.operatorId !== null) {
      // The roles may have changed, and sessions have ended.
      this.rights.forget();
      this.sessions.forget(result.operatorId);
    }
    if ('refusal' in result) throw new AppError(REFUSAL_CODES[result.refusal]);
    await attempt.refund();
    return { session: result, returnTo: flow.returnTo };
  }

  /** @throws Error with the reason of the refusal */
  private async openFlow(providerId: string, cookie: string | null): Promise<FlowCookie> {
    if (cookie === null) throw new Error('The browser did not send its cookie back');
    const sealed = Buffer.from(cookie, 'base64url');
    const flow = JSON.parse(this.secrets.open(sealed, cookieOf(providerId))) as FlowCookie;
    if (flow.endsAt <= this.clock.nowMs()) throw new Error('The sign-in took too long');
    return flow;
  }

  /** Writes the reason into the log and the audit, as often as a source may. @throws AppError `oidc_refused` */
  private async refuse(provider: string, cause: unknown, actor: Actor): Promise<never> {
    if (await this.throttle.mayRecord(actor)) {
      this.log.info({ requestId: actor.requestId, name: provider, ...errorFields(cause) }, 'A sign-in was refused');
      const facts = { provider, reason: errorChain(cause) };
      await this.auditFailure(this.db.manager, 'provider', facts, 'operator:unknown', actor);
    }
    throw new AppError('oidc_refused', {}, { cause });
  }

  /** Finds or creates the operator, assigns the roles of the groups, and starts a session. */
  private async signInPerson(
    tx: EntityManager,
    person: OidcPerson,
    provider: OidcProvider,
    source: SignInSource,
    loginActor: Actor,
  ): Promise<NewSession | RefusedSignIn> {
    const { issuer, subject, claims, groups } = person;
    // Two simultaneous first sign-ins of one person must not create two operators.
    await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_OF.oidcSubject,
      `${issuer} ${subject}`,
    ]);
    const roles = rolesOf(groups.groups, provider).map((role) => ({ role, selector: null }));
    let operator = await this.findOperator(tx, issuer, subject);
    const actor = { ...loginActor, name: `${provider.name} (${provider.id})` };
    const target = operator ? `operator:${operator.id}` : 'operator:unknown';
    if (roles.length === 0 || operator?.disabledAt) {
      // The groups behind a link are unknown, so the person keeps the roles and sessions of the last sign-in.
      const isLink = groups.found === 'link';
      const refusal = operator?.disabledAt ? 'disabled' : isLink ? 'groups_withheld' : 'no_role';
      if (operator && refusal === 'no_role') {
        await this.assign(tx, operator.id, [], actor);
        await this.sessions.revokeAllIn(tx, operator.id, null);
      }
      const claim = { claim: provider.groupsClaim, found: groups.found, groups: groups.groups.length };
      await this.auditFailure(tx, refusal, { provider: provider.id, ...claim }, target, actor);
      return { refusal, operatorId: operator?.id ?? null };
    }
    if (operator) {
      await this.assign(tx, operator.id, roles, actor);
    } else {
      const name = await this.freeName(tx, claims, provider, subject);
      operator = await this.operators.createIn(tx, name, roles, actor);
    }
    await tx.query(
      `insert into operator_identity (issuer, subject, operator_id, provider, created_at, last_login_at)
       values ($1, $2, $3, $4, $5, $5)
       on conflict (issuer, subject) do update set last_login_at = excluded.last_login_at, provider = excluded.provider`,
      [issuer, subject, operator.id, provider.id, this.clock.now()],
    );
    const secondFactorAt = this.secondFactorAt(claims, provider);
    return this.sessions.beginIn(
      tx,
      operator,
      { way: 'oidc', secondFactorAt, facts: { provider: provider.id } },
      source,
    );
  }

  /** The provider may remove roles, but not the last administrator's. @throws AppError `last_administrator` */
  private assign(tx: EntityManager, operatorId: string, roles: readonly Assignment[], actor: Actor): Promise<void> {
    return keepAdministrator(tx, this.clock.now(), () => this.roles.assignIn(tx, operatorId, roles, actor));
  }

  private async findOperator(tx: EntityManager, issuer: string, subject: string) {
    const rows = await tx.query<{ id: string; name: string; disabledAt: Date | null }[]>(
      `select id, name, disabled_at as "disabledAt"
         from operator_identity identity join operator on id = operator_id
        where identity.issuer = $1 and identity.subject = $2`,
      [issuer, subject],
    );
    return rows[0] ?? null;
  }

  /** A free display name. When another operator has it, the provider is added, and then a digest of the subject. */
  private async freeName(
    tx: EntityManager,
    claims: OidcPerson['claims'],
    { id }: OidcProvider,
    subject: string,
  ): Promise<string> {
    const claimed = [claims['preferred_username'], claims['name'], claims['email'], subject].find(
      (claim): claim is string => typeof claim === 'string' && claim.trim() !== '',
    );
    const name = claimed!
      .replaceAll(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .trim()
      .slice(0, NAME_MAX);
    await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.operatorNames]);
    for (const candidate of [name, `${name.slice(0, 70)} (${id})`]) {
      const taken = await tx.query<unknown[]>('select from operator where lower(name) = lower($1)', [candidate]);
      if (taken.length === 0) return candidate;
    }
    return `${name.slice(0, 50)} (${id} ${this.secrets.fingerprint(subject).slice(-8)})`;
  }

  /** The time of a second factor at the provider, when it reports one that the configuration accepts (RFC 8176). */
  private secondFactorAt(claims: OidcPerson['claims'], { secondFactorAmr }: OidcProvider): Date | null {
    if (!textsOf(claims['amr']).some((method) => secondFactorAmr.includes(method))) return null;
    const now = this.clock.now();
    const authTime = claims['auth_time'];
    return typeof authTime === 'number' ? new Date(Math.min(authTime * 1_000, now.getTime())) : now;
  }

  private async auditFailure(
    tx: EntityManager,
    failure: Refusal | 'provider',
    facts: { readonly provider: string; readonly [fact: string]: unknown },
    subject: string,
    actor: Actor,
  ): Promise<void> {
    await this.audit.record(tx, { actor, action: 'login.fail', subject, facts: { failure, ...facts } }, 'failed');
  }

  private find(providerId: string): OidcClient {
    const found = this.clients.get(providerId);
    if (!found) throw new AppError('oidc_provider_not_found');
    return found;
  }
}

const cookieOf = (providerId: string) => ({ table: 'cookie', column: 'oidc', rowId: providerId });
