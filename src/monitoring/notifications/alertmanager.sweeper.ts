import { unescape } from 'node:querystring';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { Authors, type HasAuthor } from '../../auth/keys/authors.service.js';
import { columnsOf } from '../../database/columns-of.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { ExternalHttp } from '../../platform/external-http.js';
import { errorFields, LOG } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { alertsLink, doubtNotification } from './notification.js';
import { doubtSince, mutedDevices, restartsNow } from './quiet-devices.js';

/*
 * Sends all open alerts to each Alertmanager once a minute, with an end five minutes ahead, and closed ones with their end. An alert
 * that is quiet when it opens waits. One that was sent goes on until it closes, whatever becomes quiet: without it Alertmanager would
 * say that the device is back. The addresses are settings, so what is sent has no author.
 */

/** After so long without a word Alertmanager ends an alert. Some lost minutes do not matter, and a closed alert is repeated for as long. */
const LASTS_MS = 300_000;

/** Some 250 bytes each. */
const BATCH = 500;

const TIMEOUT_MS = 10_000;

/** All batches of a pass. Less than half a minute: the pass of another process begins later (`claimRules`). */
const PASS_WITHIN_MS = 25_000;

/** An error names each wrong alert of a batch. */
const ANSWER_BYTES_MAX = 256 * 1024;

interface AlertRow {
  readonly ruleId: string;
  readonly rule: string;
  readonly severity: string;
  readonly note: string;
  readonly device: string;
  readonly site: string;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}

type ClaimedRule = HasAuthor & { readonly id: string; readonly enabled: boolean };

@Injectable()
export class AlertmanagerSweeper implements Sweeper {
  readonly name = 'alertmanager';
  readonly everyMs = 60_000;
  readonly isForWorkers = true;
  private readonly http = new ExternalHttp({ timeoutMs: TIMEOUT_MS, answerMaxBytes: ANSWER_BYTES_MAX });

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'ALERTMANAGER_URL' | 'PUBLIC_URL'>,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  get isOn(): boolean {
    return this.config.ALERTMANAGER_URL.length > 0;
  }

  /** @returns how many alerts are sent for the first time */
  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now();
    const claimed = await this.claimRules(now);
    if (claimed.length === 0) return {};
    const orphans = await this.authors.orphansOf(claimed);
    const judged = claimed.filter((rule) => rule.enabled && !orphans.has(rule)).map(({ id }) => id);
    const doubt = await doubtSince(this.db);
    const taken = doubt ? 0 : await this.takeNew(judged, now);
    const ids = claimed.map(({ id }) => id);
    const rows = await this.db.query<AlertRow[]>(ALERTS, [now, new Date(now.getTime() - LASTS_MS), ids, judged]);
    const alerts = [
      ...(doubt ? [doubtAlert(doubt, now)] : []),
      ...rows.map((row) => alertOf(row, now, alertsLink(this.config.PUBLIC_URL, row.ruleId))),
    ];
    const end = AbortSignal.timeout(PASS_WITHIN_MS);
    await Promise.all(this.config.ALERTMANAGER_URL.map((url) => this.sendTo(url, alerts, end)));
    return { taken };
  }

  /** One process at a time sends the alerts of a rule, once a minute. */
  private async claimRules(now: Date): Promise<ClaimedRule[]> {
    const [rules] = await this.db.query<[ClaimedRule[], number]>(
      `update alert_rule set forwarded_at = $1
        where forwarded_at is null or abs(extract(epoch from $1::timestamptz - forwarded_at)) >= ${this.everyMs / 2_000}
        returning id, enabled, operator_id as "operatorId", created_by as "createdBy"`,
      [now],
    );
    return rules;
  }

  /** Takes the open alerts that are not quiet, in the order in which a pass of their rule locks them. */
  private async takeNew(ruleIds: readonly string[], now: Date): Promise<number> {
    const muted = await mutedDevices(this.db, this.authors, this.selectors, now, this.log);
    const values: unknown[] = [now, ruleIds, ...columnsOf(muted, 'deviceId', 'ruleId')];
    const [, taken] = await this.db.query<[unknown[], number]>(
      `with muted as (select * from unnest($3::uuid[], $4::uuid[]) as muted (device_id, rule_id)),
            loud as (
              select id from alert
               where state = 'open' and forwarded_at is null and rule_id = any($2::uuid[])
                 and not ${restartsNow('alert.device_id', values, now)}
                 and not exists (select from muted where muted.device_id = alert.device_id
                                  and coalesce(muted.rule_id, alert.rule_id) = alert.rule_id)
               order by device_id for no key update)
       update alert set forwarded_at = $1 from loud where alert.id = loud.id`,
      values,
    );
    return taken;
  }

  /** A batch that is refused stops no other one: the next minute sends all again. */
  private async sendTo(address: string, alerts: readonly object[], end: AbortSignal): Promise<void> {
    const { url, headers } = targetOf(address);
    let fault: Record<string, unknown> | null = null;
    for (let at = 0; at < alerts.length && !(end.aborted && fault); at += BATCH) {
      const body = JSON.stringify(alerts.slice(at, at + BATCH));
      try {
        const { status } = await this.http.send(url, { method: 'POST', headers, body, signal: end });
        if (status < 200 || status > 299) fault ??= { status };
      } catch (error) {
        fault ??= errorFields(error);
      }
    }
    if (fault === null) return;
    this.metrics.alertmanagerFailures.inc();
    this.log.warn({ url, ...fault }, 'An Alertmanager did not take all alerts; the next minute sends them again');
  }
}

/**
 * Those that were taken: open ones of rules that judge, and ones that closed lately, unless they are open again. A restore takes them 15
 * minutes ahead; what is further ahead was taken before the clock was set back, and goes on.
 */
const ALERTS = `
  select rule.id as "ruleId", rule.name as rule, rule.severity, rule.note, device.name as device, device.site,
         alert.opened_at as "openedAt", case alert.state when 'closed' then greatest(alert.closed_at, alert.opened_at) end as "closedAt"
    from alert join alert_rule rule on rule.id = alert.rule_id join device on device.id = alert.device_id
   where (alert.state = 'open' and (alert.forwarded_at <= $1 or alert.forwarded_at > $1 + interval '15 minutes') and rule.id = any($4::uuid[]))
      or (alert.state = 'closed' and alert.forwarded_at <= alert.closed_at and alert.closed_at > $2 and rule.id = any($3::uuid[])
          and not exists (select from alert again where again.rule_id = alert.rule_id and again.device_id = alert.device_id
                             and again.state = 'open' and again.forwarded_at <= $1))`;

/** As `POST /api/v2/alerts` takes it. Its labels are its identity. */
function alertOf({ rule, severity, note, device, site, openedAt, closedAt }: AlertRow, now: Date, link: string | null) {
  return {
    labels: { alertname: rule, severity, device, site },
    annotations: { summary: `${device}: ${rule}`, note },
    startsAt: openedAt,
    endsAt: closedAt ?? new Date(now.getTime() + LASTS_MS),
    ...(link === null ? {} : { generatorURL: link }),
  };
}

/** The others wait while it lasts, and it ends by itself. */
function doubtAlert(since: Date, now: Date) {
  const { rule, severity, note } = doubtNotification(true);
  return {
    labels: { alertname: rule, severity },
    annotations: { summary: rule, note },
    startsAt: since,
    endsAt: new Date(now.getTime() + LASTS_MS),
  };
}

function targetOf(address: string) {
  const { origin, pathname, username, password } = new URL(address);
  const login = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  const authorization = username + password === '' ? {} : { authorization: `Basic ${login}` };
  return {
    url: `${origin}${pathname.replace(/\/$/, '')}/api/v2/alerts`,
    headers: { 'content-type': 'application/json', ...authorization },
  };
}
