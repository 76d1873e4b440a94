/*
 * Paths that try to mean one thing to the gateway and another to a device. Made from patterns, since each trick is tried in
 * the places where it could matter: before, inside and after a path that is allowed.
 */

const DOT_SEGMENTS = [
  '.',
  '..',
  '...',
  '%2e',
  '%2E',
  '%2e%2e',
  '.%2e',
  '%2e.',
  '%2E%2E',
  '%252e%252e',
  '..%00',
  '%2e%2e%00',
];
const SLASHES = ['//', '///', '%2f', '%2F', '%5c', '%5C', '\\', '\\\\', '%252f', '%255c', '/%2f/', '/\\/', '\\/'];
const CONTROLS = ['%00', '%0a', '%0d', '%0d%0a', '%09', '%1f', '%7f', '%0D%0ASet-Cookie:x', '%1b'];
const RAW_BYTES = [' ', '\t', '\u00e9', '\u2024', '\uff0e', '\uff0f', '\u2215', '\u0000', '\u007f', '\u200b'];
const DELIMITERS = [';', ';x=1', ';/..;/', '%3b', '%3B', '%3f', '%3F', '%23', '#', '#/../', '%25', '%2525'];
const NEEDLESS = ['%61', '%41', '%7a', '%5A', '%30', '%39', '%2d', '%5f', '%7e', '%6C%6f%67%69%6e'];
const BROKEN = ['%', '%%', '%2', '%g0', '%0', '%zz', '%u002e', '%u2215', '%-1', '%c'];
const NOT_PCHAR = ['"', '<', '>', '^', '`', '{', '|', '}', '[', ']'];

const TRICKS = [...SLASHES, ...CONTROLS, ...RAW_BYTES, ...DELIMITERS, ...NEEDLESS, ...BROKEN, ...NOT_PCHAR];

const placed = TRICKS.flatMap((trick) => [
  `/api/system/device${trick}status`,
  `/api/${trick}system/device/status`,
  `/api/system/device/status${trick}`.replace(/\/\/+$/, '//x'),
]);

const dotted = DOT_SEGMENTS.flatMap((dots) => [
  `/api/${dots}/login`,
  `/api/system/${dots}/${dots}/login`,
  `/api/system/device/${dots}`,
  `/api/v1/${dots}/users/config`,
]);

const session = [
  '/api/login',
  '/api/login/',
  '/api/LOGIN',
  '/api/Login',
  '/api/v1/login',
  '/api/v1.9.2/login/',
  '/api/v1/v1/login',
  '/api/v2/v1/v9/login',
  '/api/login?x=1',
  '/api/logout',
  '/api/v1/logout',
  '/api/LogOut/',
];

const outside = [
  '',
  '/',
  '/api',
  '/api/',
  '/API/system/device/status',
  '/apii/system',
  '/cgi-bin/luci',
  '/ubus',
  'api/system',
  '//evil.example/api/system',
  'http://evil.example/api/system',
  'https://evil.example/api/system',
  '*',
  '/rpc/api/system',
  '/api?x=/api/system',
  '/api#/system',
];

const queries = [
  ' ',
  '#x',
  '"',
  '<',
  '>',
  '\\',
  '^',
  '`',
  '{',
  '|',
  '}',
  '%',
  '%0a',
  '%00',
  '%0d%0a',
  '%zz',
  '\u00e9',
  '%7f',
].map((trick) => `/api/system/device/status?a=${trick}`);

export const HOSTILE_PATHS: readonly string[] = [
  ...new Set([...placed, ...dotted, ...session, ...outside, ...queries, `/api/${'x'.repeat(5_000)}`]),
];
