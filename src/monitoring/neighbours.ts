import ipaddr from 'ipaddr.js';

/* The devices beside a device: at its site, and in the network of its address. */

/** Networks that fail together: what a switch or a small link serves. */
const PREFIX = { ipv4: 24, ipv6: 64 } as const;

/** The network of a base URL, such as `192.0.2.0/24`; null where it has a name. */
export function networkOf(baseUrl: string): string | null {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(host)) return null;
  const address = ipaddr.process(host);
  const prefix = PREFIX[address.kind()];
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`;
}

/** The address of a device as Postgres knows it; null where it has a name. */
const ADDRESS = `
  case when device.base_url ~ '^https?://[0-9.]+(:[0-9]+)?$' then substring(device.base_url from '//([0-9.]+)')
       when device.base_url ~ '^https?://\\[' then substring(device.base_url from '\\[([0-9a-f:.]+)\\]') end`;

/** Neither online nor offline: not checked yet, or not trusted. */
const OTHERS = `device.state not in ('online', 'offline')`;

/** More than these are a number. */
const NAMED_MAX = 2;

/**
 * @param condition on `device`: those in sight
 * @param deviceId a parameter, as `site` and `network`
 * @returns SQL for `neighbours` of a reachability; a site or network without other devices has none
 */
export function neighboursSql(condition: string, deviceId: string, site: string, network: string): string {
  return `
    select asked.by, asked.name, count(*)::int as devices, (count(*) filter (where device.state = 'online'))::int as online,
           (count(*) filter (where device.state = 'offline'))::int as offline,
           case when count(*) filter (where ${OTHERS}) <= ${NAMED_MAX}
                then coalesce(json_agg(json_build_object('id', device.id, 'name', device.name) order by device.name)
                                filter (where ${OTHERS}), '[]')
                else '[]' end as others
      from (values ('site', ${site}::text), ('network', ${network}::text)) as asked (by, name)
      join device on case asked.by when 'site' then device.site = asked.name
                                   else (${ADDRESS})::inet <<= asked.name::inet end
     where asked.name <> '' and device.id <> ${deviceId}::uuid and (${condition})
     group by 1, 2 order by 1 desc`;
}
