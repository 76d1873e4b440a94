import { describe, expect, it } from 'vitest';
import { type ChatFormat, chatBody, type DatedNotification, FORMATS } from '../../src/events/notification-bodies.js';
import { bodyOf, notificationMessage } from '../../src/events/webhook-message.js';
import { notificationOf, testNotification } from '../../src/monitoring/notifications/notification.js';
import { expectGolden } from '../support/source/golden.js';

/* What each service is sent for one notification. Names of devices are hostile text. */

const CHATS = FORMATS.filter((format): format is ChatFormat => format !== 'cloudevents');
const ID = '00000000-0000-4000-8000-000000000009';
const AT = new Date('2026-03-02T08:00:00Z');

/** Each is a mention, a link or markup of some service. */
const HOSTILE = [
  '@everyone',
  '@here <!channel> <@U012AB3CD>',
  '[free money](https://evil.example)',
  'https://evil.example/a?b=c',
  '`code` *bold* _it_ ~no~ ||spoiler||',
  '<b>bold</b> <a href="https://evil.example">x</a> &lt;',
  '<https://evil.example|click> <#C123>',
  '{{DATE(2026-03-02T08:00:00Z,SHORT)}} ${x}',
  'two\nlines\u2028and\u202Ebackwards\u0000',
  '# heading > quote',
];

const about = {
  ruleId: '00000000-0000-4000-8000-000000000002',
  rule: 'offline 15 min',
  severity: 'warning',
  note: 'Call the site first.',
  link: 'https://gateway.example/console/monitoring?rule=0198d1f2-0000-7000-8000-000000000001',
} as const;

const dated = (notification: ReturnType<typeof notificationOf>): DatedNotification => ({
  ...notification,
  id: ID,
  at: AT.toISOString(),
});

const site = (name: string, open: number, told: number) =>
  Array.from({ length: open }, (_, index) => ({
    isOpen: true,
    wasTold: index < told,
    name: `${name}-${index}`,
    site: name,
  }));

/** 12 new, 3 back, now 87. */
const usual = notificationOf(about, [
  ...site('vilnius', 61, 55),
  ...site('kaunas', 26, 20),
  ...['x', 'y', 'z'].map((name) => ({ isOpen: false, wasTold: true, name, site: 'vilnius' })),
]);
const hostile = notificationOf(
  { ...about, rule: HOSTILE[5]!, note: HOSTILE.join(' ') },
  HOSTILE.map((name, index) => ({
    isOpen: index % 2 === 0,
    wasTold: index % 2 === 1,
    name,
    site: HOSTILE.at(-index)!,
  })),
);

function shown(format: ChatFormat, notification: DatedNotification): string {
  const { headers, body } = chatBody(format, notification);
  const text = headers['content-type'] === 'application/json' ? JSON.stringify(JSON.parse(body), null, 2) : body;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join('\n')}\n\n${text}\n`;
}

describe('a notification', () => {
  it.each(CHATS)('has its form for %s', (format) => {
    const all = [usual, hostile, testNotification('a test')].map((one) => shown(format, dated(one)));
    expectGolden(`notification.${format}.txt`, all.join('\n----\n\n'));
  });

  it('is a CloudEvent by default', () => {
    const message = notificationMessage(ID, usual, AT, 'https://gateway.example');
    const { headers, body } = bodyOf(message, 'cloudevents');
    expect(headers).toEqual({ 'content-type': 'application/cloudevents+json' });
    expectGolden('notification.cloudevents.txt', `${JSON.stringify(JSON.parse(body), null, 2)}\n`);
  });

  it('counts each device once, and names twenty of those that changed', () => {
    expect(usual).toMatchObject({ opened: 12, closed: 3, open: 87, moreDevices: 0, moreSites: 0 });
    expect(usual.sites).toEqual([
      { site: 'vilnius', open: 61 },
      { site: 'kaunas', open: 26 },
    ]);
    const many = notificationOf(about, site('vilnius', 300, 0));
    expect(many).toMatchObject({ opened: 300, open: 300, moreDevices: 280 });
    expect(many.devices).toHaveLength(20);
  });
});

describe('the largest notification', () => {
  const LIMITS = { slack: 5_000, teams: 28_000, discord: 4_096, telegram: 4_096, ntfy: 4_096, mail: 100_000 };
  const names = (sign: string) =>
    Array.from({ length: 300 }, (_, index) => ({
      isOpen: index % 2 === 0,
      wasTold: index % 2 === 1,
      name: sign.repeat(120),
      site: `${index}${sign.repeat(120)}`,
    }));

  it.each(
    CHATS.flatMap((format) => ['x', '&', '<', '"', '@', '\u{1F6F0}', '\\', '\uD800x'].map((sign) => [format, sign])),
  )('of %s with names of %j is within the limit of the service, and counts what it does not name', (format, sign) => {
    const chat = format as ChatFormat;
    const rule = { ...about, rule: sign.repeat(120), note: sign.repeat(2_000) };
    const { body, headers } = chatBody(chat, dated(notificationOf(rule, names(sign))));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMITS[chat]);
    expect(body.isWellFormed()).toBe(true);
    expect(headers['title'] ?? headers['subject'] ?? body).toContain('150 new, 150 back, now 150');
    const named = body.split('…').length;
    expect(named).toBeGreaterThan(3);
    expect(body).toMatch(/\d+ more changed/);
  });
});

describe('hostile names', () => {
  /** What a service would act on. Discord is told to make no mention, and Telegram reads no mention in code. */
  const ACTS: Readonly<Record<ChatFormat, RegExp>> = {
    slack: /@(?:everyone|here)|<[!@#h]/,
    teams: /@(?:everyone|here)|https?:\/\/evil|\{\{DATE/,
    discord: /@(?:everyone|here)|<[!@#h]/,
    telegram: /<(?!\/?(?:code|b|a)\b)|<a href=\\"https:\/\/evil/,
    ntfy: /@(?:everyone|here)|https?:\/\/evil/,
    mail: /@(?:everyone|here)|https?:\/\/evil/,
  };

  it.each(CHATS)('make no mention, no link and no function of %s', (format) => {
    expect(chatBody(format, dated(hostile)).body).not.toMatch(ACTS[format]);
  });

  it('make no mention in Discord', () => {
    const { body } = chatBody('discord', dated(hostile));
    expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it.each(['slack', 'discord'] as const)('stay inside their code spans in %s', (format) => {
    const { body } = chatBody(format, dated(hostile));
    const text = JSON.parse(body) as { text?: string; embeds?: { description: string }[] };
    const outside = (text.text ?? text.embeds![0]!.description).replaceAll(/`[^`\n]*`/g, '');
    expect(outside).not.toMatch(/evil|everyone|bold|heading/);
  });
});
