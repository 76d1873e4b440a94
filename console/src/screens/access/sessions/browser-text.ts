/* A browser by its name for people: what it calls itself has a hundred characters and the names of four others. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|Opera)\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chromium)\/(\d+)/, 'Chromium'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox 143 on Linux`; another text is shown as it is. */
export function browserText(userAgent: string | null): string {
  if (!userAgent) return '–';
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent));
  if (!browser) return userAgent;
  const [pattern, name] = browser;
  const system = SYSTEMS.find(([one]) => one.test(userAgent))?.[1];
  return `${name} ${pattern.exec(userAgent)?.[1] ?? ''}${system ? ` on ${system}` : ''}`;
}
