import { type Severity } from '../alerts/alert-rule.entity.js';

/*
 * What a receiver is told: the changes of one rule since it was told last, for all devices that its author may see. It is the
 * difference between the open alerts and those that the receiver knows, so what opened and closed in between is not in it. Pure.
 */

/** The type of notifications among the types of events. No event has it: a notification is for one receiver. */
export const NOTIFIED = 'rule.notified';

/** Devices and sites that are named; the others are counted. */
const DEVICES_MAX = 20;
const SITES_MAX = 10;

/** The data of a message. Texts are as people and devices wrote them: each form escapes them. */
export interface Notification {
  readonly ruleId: string | null;
  readonly rule: string;
  readonly severity: Severity;
  /** What to do, by the author of the rule. */
  readonly note: string;
  /** Devices whose alert is open, and was not when the receiver was told last; and the reverse. */
  readonly opened: number;
  readonly closed: number;
  /** Devices whose alert is open now. */
  readonly open: number;
  /** Those by site, the largest first. */
  readonly sites: readonly { readonly site: string; readonly open: number }[];
  readonly moreSites: number;
  /** Devices that changed. */
  readonly devices: readonly { readonly name: string; readonly site: string; readonly change: 'opened' | 'closed' }[];
  readonly moreDevices: number;
  readonly link: string | null;
}

/** An alert of a rule that is open, or that the receiver knows as open. */
export interface KnownAlert {
  readonly isOpen: boolean;
  readonly wasTold: boolean;
  readonly name: string;
  readonly site: string;
}

type AboutRule = Pick<Notification, 'ruleId' | 'rule' | 'severity' | 'note' | 'link'>;

export function notificationOf(about: AboutRule, alerts: readonly KnownAlert[]): Notification {
  const opened = alerts.filter(({ isOpen, wasTold }) => isOpen && !wasTold);
  const closed = alerts.filter(({ isOpen, wasTold }) => !isOpen && wasTold);
  const open = alerts.filter(({ isOpen }) => isOpen);
  const bySite = new Map<string, number>();
  for (const { site } of open) bySite.set(site, (bySite.get(site) ?? 0) + 1);
  const sites = [...bySite].map(([site, count]) => ({ site, open: count })).toSorted((a, b) => b.open - a.open);
  const devices = [...listed(opened, 'opened'), ...listed(closed, 'closed')];
  return {
    ...about,
    opened: opened.length,
    closed: closed.length,
    open: open.length,
    sites: sites.slice(0, SITES_MAX),
    moreSites: Math.max(0, sites.length - SITES_MAX),
    devices: devices.slice(0, DEVICES_MAX),
    moreDevices: Math.max(0, devices.length - DEVICES_MAX),
  };
}

/** The open alerts of a rule, in the console; null without a public address. */
export const alertsLink = (publicUrl: string | undefined, ruleId: string): string | null =>
  publicUrl === undefined ? null : `${publicUrl}/console/monitoring?rule=${ruleId}`;

/** That the gateway doubts its own connection, or does no longer. */
export function doubtNotification(isDoubting: boolean): Notification {
  const about: AboutRule = {
    ruleId: null,
    rule: "The gateway's own connection",
    severity: 'critical',
    note: isDoubting
      ? 'Many devices stopped to answer at once. Check the connection of the gateway; other notifications wait.'
      : 'The gateway judges each device by itself again.',
    link: null,
  };
  const none = { sites: [], moreSites: 0, devices: [], moreDevices: 0 };
  return { ...about, ...none, opened: isDoubting ? 1 : 0, closed: isDoubting ? 0 : 1, open: isDoubting ? 1 : 0 };
}

/** What a test of a receiver sends. */
export function testNotification(webhook: string): Notification {
  const about: AboutRule = { ruleId: null, rule: webhook, severity: 'info', note: 'This is a test.', link: null };
  return notificationOf(about, []);
}

const listed = (alerts: readonly KnownAlert[], change: 'opened' | 'closed') =>
  alerts.map(({ name, site }) => ({ name, site, change }));
