import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { modelText } from '../../api/device-texts.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { StateMark } from '../../ui/mark.js';
import { choice, type Choice, DEVICES_MAX } from './choice.js';
import { actIn } from './device-acts.js';
import { scoreOf } from './ranking.js';

/** Of equal matches those that answer come first. */
const ONLINE = 0.5;

/** A shorter text is not searched by its halves. */
const HALVED_MIN = 4;

/** Devices by name, serial number, MAC or address. What the search found matches, whatever it found it by. */
export function useDevices(asked: string): { choices: readonly Choice[]; error: unknown } {
  const { data, error, isPlaceholderData } = useSearch(asked);
  const items = asked === '' ? [] : (data?.items ?? []);
  const isNothing = asked.length >= HALVED_MIN && data?.items.length === 0 && !isPlaceholderData;
  const near = useNear(isNothing ? asked : '');
  // Those of the text before stay only where they match this one, too: Enter must not open another device.
  const choices = isNothing
    ? near.map((device) => deviceChoice(asked, device, 0))
    : items.map((device) => deviceChoice(asked, device, isPlaceholderData ? 0 : 1));
  return { choices: choices.toSorted((one, other) => one.title.localeCompare(other.title)), error };
}

/** Devices that may be meant where the whole text finds none: one half of it is without the wrong letter. */
function useNear(asked: string): readonly Found[] {
  const half = Math.floor(asked.length / 2);
  const begins = useSearch(asked.slice(0, half)).data?.items ?? [];
  const ends = useSearch(asked.slice(half)).data?.items ?? [];
  return [...new Map([...begins, ...ends].map((device) => [device.id, device])).values()];
}

const useSearch = (asked: string) =>
  useQuery({
    queryKey: KEYS.devices.palette(asked),
    queryFn: ({ signal }) => {
      const fields = 'id,name,state,model,site,serial,mac,baseUrl';
      return api.get('/v1/devices', { params: { query: { q: asked, limit: DEVICES_MAX, fields } }, signal });
    },
    enabled: useMay('device.read') && asked.length > 0,
    placeholderData: keepPreviousData,
  });

type Found = NonNullable<ReturnType<typeof useSearch>['data']>['items'][number];

/** @param least the score of a device that none of its shown texts explains; 0: it is left out */
function deviceChoice(asked: string, device: Found, least: number): Choice {
  const { id, name = id, state, model, site, serial, mac, baseUrl } = device;
  const address = baseUrl?.slice(baseUrl.indexOf('//') + 2);
  const others = [serial, mac, address];
  // What it was found by is said, too.
  const found = [serial, mac].find((text) => scoreOf(asked, text ?? '') > 0);
  const own = Math.max(scoreOf(asked, name), ...others.map((text) => scoreOf(asked, text ?? '') / 2));
  const match = Math.max(own, least);
  const score = match > 0 && state === 'online' ? match + ONLINE : match;
  return choice(id, name, `/devices/${id}`, score, state && <StateMark state={state} />, [
    model ? modelText(model) : 'Device',
    site,
    address,
    found,
  ]);
}

/** What `restart pump-1` asks for, on each device that is found by the rest. */
export function useActs(typed: string, permissions: readonly string[]): readonly Choice[] {
  const asked = actIn(typed, permissions);
  const { choices } = useDevices(asked?.device ?? '');
  if (!asked) return [];
  const { verb, query } = asked.act;
  return choices.map((device) => ({
    ...device,
    id: `act ${device.id}`,
    title: `${verb} ${device.title}`,
    to: `/devices/${device.id}?${query}`,
  }));
}
