/* What helps against what a rule looks for: the screen where it is mended. Pure. */

export interface Remedy {
  readonly text: string;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

const ofDevice =
  (text: string, tab: string) =>
  (id: string): Remedy => ({ text, to: `/devices/${id}`, search: { tab } });

/** By the begin of the selector of the rule. */
const REMEDIES: readonly (readonly [RegExp, (deviceId: string) => Remedy])[] = [
  [
    /^certificate</,
    (id) => ({ text: 'Reissue', to: '/certificates', search: { tab: 'expiring', selector: `id=${id}` } }),
  ],
  [/^state[:=]offline$/, ofDevice('See why', 'overview')],
  [/^state[:=]trust_changed$/, ofDevice('Compare certificates', 'trust')],
  [/^state[:=]credentials_refused$/, ofDevice('Set the login', 'sessions')],
  [/^backup[:>]/, ofDevice('Back up', 'backups')],
  [/^observed\./, ofDevice('See the changes', 'history')],
  [/^(?:rssi|rsrp|rsrq|sinr|temperature|load|memory|flash|data|uptime|sample)\b/, ofDevice('See the values', 'status')],
];

/** @param selector of the rule; undefined: not known, or the reader may not see it */
export function remedyOf(selector: string | null | undefined, deviceId: string): Remedy | null {
  const text = selector?.trim() ?? '';
  return REMEDIES.find(([pattern]) => pattern.test(text))?.[1](deviceId) ?? null;
}
