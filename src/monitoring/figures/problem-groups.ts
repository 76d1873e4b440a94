/*
 * Devices with a problem, counted by what is wrong and by site: a page of an operator shows incidents, not 48 devices one by
 * one. Devices choose nothing of it, but a fleet has many sites, so the rows are bounded.
 */

/** Rows of an answer; the largest ones. */
export const PROBLEM_ROWS_MAX = 500;

/** Devices that a row names. */
const NAMED = 3;

const PROBLEM = `
  case when state in ('offline', 'trust_changed', 'credentials_refused') then state
       when not exists (select from device_account account
                         where account.device_id = visible.id and account.purpose = 'main') then 'no_credentials' end`;

/** Networks of an answer; the largest ones. */
export const PROBLEM_NETWORKS_MAX = 50;

/** The /24 of an IPv4 address in a base URL; null for a name and for IPv6. */
const NETWORK = `substring(base_url from '^https?://([0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3})[.][0-9]{1,3}(?:[:/]|$)') || '.0/24'`;

/**
 * Networks that tell more than the site, since their link is the likely cause: at least two of their devices, at several sites or without one, and at least half of
 * all that they have.
 * @param condition on `device` @returns SQL for `networks` of the problems, the largest first
 */
export const problemNetworksSql = (condition: string): string => `
  with visible as materialized (
    select site, state, left(state_reason, 200) as reason, ${NETWORK} as network from device where ${condition}
  ), size as (
    select network, count(*)::int as devices from visible where network is not null group by network
  ), failed as (
    select network, reason, site, count(*)::int as devices
      from visible where state = 'offline' and network is not null group by 1, 2, 3
  )
  select network, reason, sum(failed.devices)::int as devices, size.devices as "networkDevices",
         jsonb_agg(jsonb_build_object('site', site, 'devices', failed.devices) order by site) as sites
    from failed join size using (network)
   group by network, reason, size.devices
  having sum(failed.devices) >= greatest(2, size.devices / 2.0) and (count(*) > 1 or min(site) = '')
   order by 3 desc, network limit ${PROBLEM_NETWORKS_MAX}`;

/** @param condition on `device` @returns SQL for `groups` of the problems, the largest first */
export const problemsSql = (condition: string): string => `
  with visible as materialized (
    select id, name, site, state, state_reason, created_at from device where ${condition}
  ), place as (
    select site, count(*)::int as devices from visible group by site
  ), wrong as (
    select visible.*, ${PROBLEM} as problem from visible
  ), dated as materialized (
    select wrong.*, coalesce(case when problem <> 'no_credentials' then change.at end, created_at) as at
      from wrong left join lateral (
        select at from device_change
         where device_id = wrong.id and field = 'state' order by device_change.id desc limit 1) change on true
     where problem is not null
  ), grouped as (
    select problem, left(state_reason, 200) as reason, site, count(*)::int as devices, min(at) as since, max(at) as latest,
           to_jsonb((array_agg(jsonb_build_object('id', id, 'name', name) order by at desc, name))[1:${NAMED}]) as named
      from dated group by 1, 2, 3
  )
  select grouped.*, place.devices as "siteDevices" from grouped join place using (site)
   order by grouped.devices desc, latest desc limit ${PROBLEM_ROWS_MAX}`;
