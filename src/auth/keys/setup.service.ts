import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor } from '../../platform/actor.js';
import { ADVISORY_LOCK } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { SlotQueue } from '../../platform/limits/slot-queue.js';
import { LOG } from '../../platform/log.js';
import { standardOutput } from '../../platform/output/standard-output.js';
import { PARENT, type ParentProcess } from '../../processes/parent-process.js';
import { Accounts } from '../people/accounts.service.js';
import { type SetupInput } from '../people/auth.contract.js';
import { sourceOf } from '../rights/address-list.js';
import { digest, randomText } from '../rights/key-format.js';
import { ApiKeys, type IssuedKey } from './keys.service.js';
import { OperatorsService, type OperatorDetails } from '../people/operators.service.js';

const ADMINISTRATOR = [{ role: 'administrator', selector: null }];

const TOKEN_HOURS = 24;

/** Makes what belongs to the first administrator, in the transaction of the set-up. */
type SetupStep = (tx: EntityManager, author: Actor & { readonly operatorId: string }) => Promise<void>;

/** Look-ups of one source in progress: made-up tokens must not take all connections to the database. */
const LOOK_UPS = 8;

/**
 * Creates the first administrator. There is no default password. While there is no operator, each start prints a token
 * that creates one, once. All tokens end when one of them is used.
 */
@Injectable()
export class SetupService implements OnApplicationBootstrap {
  private done = false;
  private readonly steps: SetupStep[] = [];
  private readonly lookUps = new SlotQueue({ perKey: LOOK_UPS });

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OperatorsService) private readonly operators: OperatorsService,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(PARENT) private readonly parent: ParentProcess | null,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.ROLE === 'worker' || this.parent?.task.isFirst === false || (await this.isDone())) return;
    const given = this.config.FLEETGATE_SETUP_TOKEN;
    const token = given ?? `setup_${randomText(32)}`;
    const expiresAt = new Date(this.clock.now().getTime() + TOKEN_HOURS * 3_600_000);
    await this.db.query(
      `insert into setup_token (hash, expires_at) values ($1, $2)
       on conflict (hash) do update set expires_at = excluded.expires_at`,
      [digest(token), expiresAt],
    );
    // To the terminal and not into the log: readers of collected logs could use the token.
    if (given === undefined) {
      standardOutput(2).write(
        `\nThere is no operator yet. Create the first administrator within ${TOKEN_HOURS} hours with this set-up token:\n\n` +
          `    ${token}\n\n    in a browser: ${this.address()}/console/sign-in?setup=yes\n` +
          `    for scripts:  POST /v1/setup {"token": "…", "operatorName": "…"}\n\n`,
      );
    }
    this.log.info('The gateway waits for its set-up');
  }

  /** For what belongs to the first administrator, and is made once. */
  onFinish(step: SetupStep): void {
    this.steps.push(step);
  }

  /**
   * Creates the first administrator with an API key, and with a password when one is given.
   * @throws AppError `setup_finished`, `setup_token_refused`, `password_refused`, `login_queue_full`
   */
  async finish(
    { token, operatorName, password }: SetupInput,
    from: Pick<Actor, 'requestId' | 'address'>,
  ): Promise<{ operator: OperatorDetails; issued: IssuedKey }> {
    // Checked outside a transaction, so that a flood of made-up tokens holds no connection.
    if (await this.isDone()) throw new AppError('setup_finished');
    if (!(await this.lookUps.run(sourceOf(from.address ?? ''), () => this.isToken(token))))
      throw new AppError('setup_token_refused');
    const hash = password === undefined ? null : await this.accounts.hash(password, operatorName, from.address);
    const actor: Actor = { actorId: 'setup', name: 'set-up token', reason: null, ...from };
    return this.db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.setup]);
      if (await this.isDone(tx)) throw new AppError('setup_finished');
      const [used] = await tx.query<[unknown[], number]>(
        'delete from setup_token where hash = $1 and expires_at > $2 returning hash',
        [digest(token), this.clock.now()],
      );
      if (used.length === 0) throw new AppError('setup_token_refused');
      await tx.query('delete from setup_token');
      const { id } = await this.operators.createIn(tx, operatorName, ADMINISTRATOR, actor);
      if (hash !== null) await this.accounts.storeIn(tx, id, hash);
      const issued = await this.keys.issueIn(tx, id, { name: 'set-up', scope: { stepUp: true } }, actor);
      for (const step of this.steps) await step(tx, { ...actor, name: operatorName, operatorId: id });
      return { operator: await this.operators.get(id, tx), issued };
    });
  }

  private async isToken(token: string): Promise<boolean> {
    const rows = await this.db.query<unknown[]>('select from setup_token where hash = $1 and expires_at > $2', [
      digest(token),
      this.clock.now(),
    ]);
    return rows.length > 0;
  }

  /** Where people reach the gateway, as far as the settings say it: the listener is not open yet. */
  private address(): string {
    const { PUBLIC_URL, HOST, PORT } = this.config;
    return PUBLIC_URL ?? `http://${HOST}:${PORT || '…'}`;
  }

  /** Whether there is an operator. Once there is one there always is one, so a yes is cached. */
  async isDone(tx: EntityManager = this.db.manager): Promise<boolean> {
    if (this.done) return true;
    const rows = await tx.query<unknown[]>('select from operator limit 1');
    this.done = rows.length > 0;
    return this.done;
  }
}
