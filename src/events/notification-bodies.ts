import { type Notification } from '../monitoring/notifications/notification.js';
import { literal, plain } from './literal-text.js';

/*
 * Notifications in the forms of chats. Pure. Names of devices, sites and rules are hostile text: each form shows them as
 * they are, so that they make no markup, no mention and no link. A message that is too long for its service names fewer of them.
 */

/** The forms of a webhook's messages. */
export const FORMATS = ['cloudevents', 'slack', 'teams', 'discord', 'telegram', 'ntfy', 'mail'] as const;
export type Format = (typeof FORMATS)[number];
export type ChatFormat = Exclude<Format, 'cloudevents'>;

export interface MessageBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A notification with the id and the time of its message. */
export interface DatedNotification extends Notification {
  readonly id: string;
  readonly at: string;
}

/** Shows a text of others as it is. */
type Quote = (text: string, lengthMax?: number) => string;

/** Of a note, which is longer than a name. */
const NOTE_MAX = 300;

/** The body for a service, and the headers that it needs. */
export function chatBody(format: ChatFormat, notification: DatedNotification): MessageBody {
  const { render, bytesMax } = FORMS[format];
  const { devices, sites } = notification;
  for (let left = devices.length + sites.length; ; left--) {
    const made = render(naming(notification, Math.max(0, left - sites.length), Math.min(left, sites.length)));
    if (left === 0 || Buffer.byteLength(made.body) <= bytesMax) return made;
  }
}

/** The notification with so many devices and sites by name. */
function naming(notification: DatedNotification, deviceCount: number, siteCount: number): DatedNotification {
  const { devices, moreDevices, sites, moreSites } = notification;
  return {
    ...notification,
    devices: devices.slice(0, deviceCount),
    moreDevices: moreDevices + devices.length - deviceCount,
    sites: sites.slice(0, siteCount),
    moreSites: moreSites + sites.length - siteCount,
  };
}

/** Such as `12 new, 3 back, now 87`. */
function countsOf({ opened, closed, open }: Notification): string {
  const changes = [...(opened > 0 ? [`${opened} new`] : []), ...(closed > 0 ? [`${closed} back`] : [])];
  return [...changes, `now ${open}`].join(', ');
}

/** Without texts of others: it has no markup to escape. */
const titleOf = (notification: Notification) => `${notification.severity}: ${countsOf(notification)}`;

/** All below the title, line by line. */
function linesOf(notification: Notification, quote: Quote): string[] {
  const { rule, note, sites, moreSites, devices, moreDevices } = notification;
  const named = (change: 'opened' | 'closed') =>
    devices.filter((device) => device.change === change).map(({ name }) => quote(name));
  const line = (title: string, items: readonly string[], more: number) =>
    items.length + more === 0 ? [] : [`${title}: ${[...items, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`];
  const [opened, closed] = [named('opened'), named('closed')];
  return [
    quote(rule),
    ...line(
      'Sites',
      sites.map(({ site, open }) => `${quote(site)} ${open}`),
      moreSites,
    ),
    ...line('New', opened, 0),
    ...line('Back', closed, 0),
    ...(moreDevices > 0 ? [`${moreDevices} more changed`] : []),
    ...(note === '' ? [] : [quote(note, NOTE_MAX)]),
  ];
}

const json = (body: object): MessageBody => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * In a code span, where none of the three services makes links. `<` begins a mention in Slack, and the others show its escape
 * as it is written. Rocket.Chat notifies for mentions in code, too: a joiner without width after each @ ends that.
 */
const inCode: Quote = (text, lengthMax) =>
  `\`${plain(text, lengthMax).replaceAll('`', '\u02BC').replaceAll('<', '\u2039').replaceAll('>', '\u203A').replaceAll('@', '@\u2060')}\``;

/** Slack, Mattermost and Rocket.Chat: `text` alone means the same in all three. */
function slack(notification: DatedNotification): MessageBody {
  const { link } = notification;
  const lines = [titleOf(notification), ...linesOf(notification, inCode), ...(link === null ? [] : [link])];
  return json({ text: lines.join('\n') });
}

/** An adaptive card, as workflows of Teams take it. Text runs have no markup; `{{` begins a function of dates. */
function teams(notification: DatedNotification): MessageBody {
  const { link } = notification;
  const run = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const title = run(titleOf(notification), { weight: 'bolder', size: 'medium' });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [title, ...linesOf(notification, literal).map((line) => run(line))],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Show the alerts', url: link }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return json({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] });
}

const COLORS = { info: 0x1976d2, warning: 0xf9a825, critical: 0xd32f2f } as const;
const GREEN = 0x2e7d32;

function discord(notification: DatedNotification): MessageBody {
  const { severity, opened, link, at, id } = notification;
  const embed = {
    title: titleOf(notification),
    description: linesOf(notification, inCode).join('\n'),
    color: opened > 0 ? COLORS[severity] : GREEN,
    timestamp: at,
    footer: { text: id },
    ...(link === null ? {} : { url: link }),
  };
  return json({ allowed_mentions: { parse: [] }, embeds: [embed] });
}

const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** For `sendMessage`; `chat_id` is in the query of the address. */
function telegram(notification: DatedNotification): MessageBody {
  const { link } = notification;
  const quote: Quote = (text, lengthMax) => `<code>${html(plain(text, lengthMax))}</code>`;
  const lines = [`<b>${titleOf(notification)}</b>`, ...linesOf(notification, quote)];
  const shown = link === null ? [] : [`<a href="${html(link).replaceAll('"', '&quot;')}">Show the alerts</a>`];
  const text = [...lines, ...shown].join('\n');
  return json({ text, parse_mode: 'HTML', link_preview_options: { is_disabled: true } });
}

const PRIORITIES = { info: '2', warning: '3', critical: '5' } as const;

/** A message to the address of a topic: plain text, all else in headers. */
function ntfy(notification: DatedNotification): MessageBody {
  const { severity, opened, link } = notification;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    title: titleOf(notification),
    priority: opened > 0 ? PRIORITIES[severity] : PRIORITIES.info,
    tags: opened > 0 ? 'warning' : 'white_check_mark',
    ...(link === null ? {} : { click: link }),
  };
  return { headers, body: linesOf(notification, literal).join('\n') };
}

/** A text; the subject has counts alone, since it is shown on locked screens and in the logs of servers. */
function mail(notification: DatedNotification): MessageBody {
  const { link } = notification;
  const lines = [titleOf(notification), '', ...linesOf(notification, literal), ...(link === null ? [] : ['', link])];
  return { headers: { subject: `Fleetgate ${titleOf(notification)}` }, body: `${lines.join('\n')}\n` };
}

/**
 * Bytes that a service takes. Rocket.Chat takes 5,000 characters by default, Teams 28 KB, a description of Discord 4,096
 * characters, Telegram 4,096 after its markup, and ntfy makes a file of a message above 4,096 bytes.
 */
const FORMS: Readonly<
  Record<ChatFormat, { readonly render: (notification: DatedNotification) => MessageBody; readonly bytesMax: number }>
> = {
  slack: { render: slack, bytesMax: 4_900 },
  teams: { render: teams, bytesMax: 27_000 },
  discord: { render: discord, bytesMax: 4_000 },
  telegram: { render: telegram, bytesMax: 4_000 },
  ntfy: { render: ntfy, bytesMax: 4_000 },
  mail: { render: mail, bytesMax: 100_000 },
};
