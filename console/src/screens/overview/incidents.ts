import { countText, numberText } from '../../api/amount-text.js';
import { causeOf } from '../device-outage/outage-cause.js';
import { termOf } from '../devices/selector-text.js';
import { type Attention, grouped, RANKS } from './attention-item.js';

/* Devices with a problem as incidents: one row for each cause and place, as far as they probably belong together. Pure. */

type Problem = 'offline' | 'trust_changed' | 'credentials_refused' | 'no_credentials';

/** As the gateway counts them. */
interface Group {
  readonly problem: Problem;
  readonly reason: string | null;
  readonly site: string;
  readonly devices: number;
  readonly siteDevices: number;
  readonly since: string;
  readonly latest: string;
  readonly named: readonly { readonly id: string; readonly name: string }[];
}

/** Offline devices of several sites in one network, as the gateway finds them. */
interface Network {
  readonly network: string;
  readonly reason: string | null;
  readonly devices: number;
  readonly networkDevices: number;
  readonly sites: readonly { readonly site: string; readonly devices: number }[];
}

/** Where so many sites, and this share of all devices, fail in the same way, the cause is rather at the gateway. */
const EVERYWHERE_SITES = 3;
const EVERYWHERE_SHARE = 1 / 3;

/** More single devices with the same cause are one row. */
const SINGLES = 3;

/** Devices without a login, which have no other problem. */
const WITHOUT_LOGIN = 'credentials:none & !state:offline & !state:trust_changed & !state:credentials_refused';

const SELECTORS: Readonly<Record<Problem, string>> = {
  offline: 'state=offline',
  trust_changed: 'state=trust_changed',
  credentials_refused: 'state=credentials_refused',
  no_credentials: WITHOUT_LOGIN,
};

/** How bad it is, what happened, the tab of a device where it is mended, and the action for one device. */
const WORDS: Readonly<Record<Problem, readonly [rank: number, why: string, tab: string, action: string]>> = {
  offline: [RANKS.broken, 'no answer', 'overview', 'See why'],
  trust_changed: [RANKS.untrusted, 'another certificate than before', 'trust', 'Compare certificates'],
  credentials_refused: [RANKS.warning, 'the stored password is refused', 'sessions', 'Set the login'],
  no_credentials: [RANKS.warning, 'No login is stored, so calls and jobs fail', 'sessions', 'Set the login'],
};

const causeText = ({ problem, reason }: Group): string =>
  problem === 'offline' ? causeOf(reason).short : WORDS[problem][1];

/** @param fleet how many devices there are, as far as the caller sees them */
export function incidentsOf(groups: readonly Group[], fleet: number, networks: readonly Network[] = []): Attention[] {
  const byCause = grouped(groups, (group) => `${group.problem} ${causeText(group)}`);
  return [...byCause.values()].flatMap((same) => {
    const devices = sum(same);
    const sites = new Set(same.map(({ site }) => site)).size;
    const isEverywhere = sites >= EVERYWHERE_SITES && devices >= fleet * EVERYWHERE_SHARE;
    if (isEverywhere) return [incident(same, groups, sites, true)];
    const shared = networks.filter((one) => same[0]!.problem === 'offline' && isSameCause(one, same[0]!));
    const bySite = [...grouped(without(same, shared), ({ site }) => site).values()];
    const singles = bySite.filter((rows) => sum(rows) === 1);
    const isMerged = singles.length > SINGLES;
    const apart = isMerged ? bySite.filter((rows) => sum(rows) > 1) : bySite;
    return [
      ...shared.map((one) => ofNetwork(one, same, groups)),
      ...apart.map((rows) => incident(rows, groups, 1, false)),
      ...(isMerged ? [incident(singles.flat(), groups, singles.length, false)] : []),
    ];
  });
}

const isSameCause = (network: Network, group: Group): boolean =>
  causeOf(network.reason).short === causeOf(group.reason).short;

/** The groups without the devices that an incident of a network has. Who is left of a part of a group is not known by name. */
function without(groups: readonly Group[], networks: readonly Network[]): Group[] {
  return groups.flatMap((group) => {
    const gone = networks
      .filter(({ reason }) => reason === group.reason)
      .flatMap(({ sites }) => sites)
      .reduce((all, { site, devices }) => all + (site === group.site ? devices : 0), 0);
    if (gone === 0) return [group];
    return gone >= group.devices ? [] : [{ ...group, devices: group.devices - gone, named: [] }];
  });
}

function ofNetwork(
  { network, reason, devices, networkDevices, sites }: Network,
  same: readonly Group[],
  all: readonly Group[],
): Attention {
  const names = new Set(sites.map(({ site }) => site));
  const rows = same.filter(({ site }) => names.has(site));
  const shown = sum(all.filter(({ problem, site }) => problem === 'offline' && names.has(site)));
  const places = [...names].map((site) => termOf('site', site)).join(' | ');
  const dates = rows.flatMap(({ since, latest }) => [since, latest]).toSorted();
  const share =
    devices === networkDevices ? 'the whole network' : `${numberText(devices)} of ${numberText(networkDevices)} in it`;
  return {
    id: `network ${network} ${reason ?? ''}`,
    rank: WORDS.offline[0],
    state: 'offline',
    at: dates.at(-1),
    ...(dates[0] ? { since: dates[0] } : {}),
    what: countText(devices, 'device'),
    why: [causeOf(reason).short, network, countText(names.size, 'site'), `${share}: probably its link or VPN`].join(
      ' · ',
    ),
    to: '/devices',
    search: { selector: names.size > 1 ? `state=offline & (${places})` : `state=offline & ${places}` },
    action: `Show ${numberText(shown)}`,
  };
}

const sum = (groups: readonly Group[]): number => groups.reduce((all, { devices }) => all + devices, 0);

function incident(rows: readonly Group[], all: readonly Group[], sites: number, isEverywhere: boolean): Attention {
  const [first] = rows as [Group];
  const { problem } = first;
  const devices = sum(rows);
  const [rank, , tab, action] = WORDS[problem];
  const dates = rows.map(({ since }) => since).toSorted();
  const latest = rows
    .map(({ latest: at }) => at)
    .toSorted()
    .at(-1)!;
  const base = {
    id: `${problem} ${causeText(first)} ${sites === 1 ? first.site : sites}`,
    rank,
    state: problem,
    at: latest,
  };
  const [one] = first.named;
  if (devices === 1 && one) {
    const reason = problem === 'offline' ? `It does not answer: ${causeText(first)}` : causeText(first);
    const why = first.site === '' ? reason : `${reason} · ${first.site}`;
    return {
      ...base,
      id: `device ${one.id}`,
      what: one.name,
      why,
      since: latest,
      to: `/devices/${one.id}`,
      search: { tab },
      action,
    };
  }
  const selector = sites === 1 ? `${SELECTORS[problem]} & ${termOf('site', first.site)}` : SELECTORS[problem];
  const shown = sum(all.filter((row) => row.problem === problem && (sites > 1 || row.site === first.site)));
  const where = placeText(rows, sites, isEverywhere);
  const guess = guessOf(first, devices, sites, isEverywhere);
  return {
    ...base,
    what: countText(devices, 'device'),
    why: [causeText(first), where, guess].filter(Boolean).join(' · '),
    since: dates[0]!,
    to: '/devices',
    search: { selector },
    action: `Show ${shown.toLocaleString('en')}`,
  };
}

function placeText([first]: readonly Group[], sites: number, isEverywhere: boolean): string {
  if (sites > 1) return isEverywhere ? `all over the fleet, ${countText(sites, 'site')}` : countText(sites, 'site');
  return first!.site === '' ? 'without a site' : first!.site;
}

/** What such an incident mostly is. */
function guessOf(
  { problem, siteDevices }: Group,
  devices: number,
  sites: number,
  isEverywhere: boolean,
): string | null {
  if (problem !== 'offline') return null;
  if (isEverywhere) return 'probably the gateway’s own network';
  if (sites === 1 && devices === siteDevices) return 'the whole site: probably its power or its link';
  return null;
}
