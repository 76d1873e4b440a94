import { execFile, type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/*
 * A network of its own, in namespaces of Linux: a router behind the NAT of its site and the NAT of its operator, and a gateway on
 * the other side. A direct line between the two stands for the time before a tunnel; WireGuard (as a program, `wireguard-go`)
 * is the tunnel. All of it goes with `close`.
 *
 *   router --- site (NAT) --- carrier (NAT) --- gateway
 *      \______________ direct line ______________/
 */

const run = promisify(execFile);

const PROGRAMS = ['ip', 'nft', 'wg', 'wireguard-go', 'curl'] as const;

/** The addresses of the router, and of the gateway's end of the tunnel. */
export const DIRECT = '198.51.100.2';
export const TUNNEL = '10.90.0.7';
const HUB = '10.90.0.1';
const PUBLIC = '203.0.113.1';

const NAMES = ['router', 'site', 'carrier', 'gateway'] as const;
type Name = (typeof NAMES)[number];

/** Programs find their tunnel by its name, whatever their namespace. */
const tunnelOf = (name: Name): string => `fg-${name[0]}${process.pid}`;

/** Why this machine cannot have such a network; null: it can. */
export function reasonAgainst(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can make networks';
  const missing = PROGRAMS.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  const probe = `fg-probe-${process.pid}`;
  const isAllowed = spawnSync('ip', ['netns', 'add', probe]).status === 0;
  if (isAllowed) spawnSync('ip', ['netns', 'delete', probe]);
  return isAllowed ? null : 'this machine allows no network namespaces';
}

export class TwoNats {
  private readonly tunnels: ChildProcess[] = [];
  private readonly keys = mkdtempSync(path.join(os.tmpdir(), 'fleetgate-keys-'));

  static async open(): Promise<TwoNats> {
    const network = new TwoNats();
    try {
      await network.build();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  /** The command that runs a program in a namespace. */
  inside(name: Name): readonly string[] {
    return ['ip', 'netns', 'exec', this.of(name)];
  }

  /** Leads what comes to the router at the port of HTTPS to a port of its loopback. */
  async publish(port: number): Promise<void> {
    await this.exec('router', 'sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=1');
    const rules = `add table ip in; add chain ip in pre { type nat hook prerouting priority -100; };
                   add rule ip in pre tcp dport 443 dnat to 127.0.0.1:${port}`;
    await this.exec('router', 'nft', rules);
  }

  /** The router opens a tunnel to the gateway, from behind both. */
  async openTunnel(): Promise<void> {
    const hub = await this.key('hub');
    const router = await this.key('router');
    await this.tunnel('gateway', `${HUB}/16`, ['private-key', hub.file, 'listen-port', '51820']);
    await this.tunnel('router', `${TUNNEL}/16`, ['private-key', router.file]);
    await this.exec('gateway', 'wg', 'set', tunnelOf('gateway'), 'peer', router.pub, 'allowed-ips', `${TUNNEL}/32`);
    const endpoint = ['endpoint', `${PUBLIC}:51820`, 'allowed-ips', '10.90.0.0/16', 'persistent-keepalive', '5'];
    await this.exec('router', 'wg', 'set', tunnelOf('router'), 'peer', hub.pub, ...endpoint);
  }

  async cutDirectLine(): Promise<void> {
    await this.ip('router', 'link delete direct');
  }

  /** Runs a program to its end. @returns what it printed */
  async exec(name: Name, program: string, ...args: string[]): Promise<string> {
    const [command, ...prefix] = this.inside(name);
    return (await run(command!, [...prefix, program, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  }

  async close(): Promise<void> {
    for (const child of this.tunnels) {
      const ended = once(child, 'exit');
      if (child.kill('SIGTERM')) await ended;
    }
    for (const name of NAMES) await run('ip', ['netns', 'delete', this.of(name)]).catch(() => undefined); // it may have been made in part
    rmSync(this.keys, { recursive: true });
  }

  private async build(): Promise<void> {
    for (const name of NAMES) {
      await run('ip', ['netns', 'add', this.of(name)]);
      await this.ip(name, 'link set lo up');
    }
    await this.line(['router', 'lan', '192.168.1.2/24'], ['site', 'lan', '192.168.1.1/24']);
    await this.line(['site', 'wan', '10.64.0.2/24'], ['carrier', 'lan', '10.64.0.1/24']);
    await this.line(['carrier', 'wan', '203.0.113.2/24'], ['gateway', 'net', `${PUBLIC}/24`]);
    await this.line(['router', 'direct', `${DIRECT}/24`], ['gateway', 'direct', '198.51.100.1/24']);
    for (const name of ['site', 'carrier'] as const) await this.masquerade(name);
    await this.ip('router', 'route add default via 192.168.1.1');
    await this.ip('site', 'route add default via 10.64.0.1');
  }

  private of(name: Name): string {
    return `fg-${name}-${process.pid}`;
  }

  private ip(name: Name, command: string) {
    return run('ip', ['-n', this.of(name), ...command.split(' ')]);
  }

  private async line(one: readonly [Name, string, string], other: readonly [Name, string, string]): Promise<void> {
    await this.ip(one[0], `link add ${one[1]} type veth peer name ${other[1]} netns ${this.of(other[0])}`);
    for (const [name, end, address] of [one, other]) {
      await this.ip(name, `address add ${address} dev ${end}`);
      await this.ip(name, `link set ${end} up`);
    }
  }

  private async masquerade(name: Name): Promise<void> {
    await this.exec(name, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
    const rules = `add table ip out; add chain ip out post { type nat hook postrouting priority 100; };
                   add rule ip out post oifname "wan" masquerade`;
    await this.exec(name, 'nft', rules);
  }

  private async key(name: string): Promise<{ readonly file: string; readonly pub: string }> {
    const { stdout: secret } = await run('wg', ['genkey']);
    const file = path.join(this.keys, name);
    writeFileSync(file, secret, { mode: 0o600 });
    const { stdout: pub } = await run('sh', ['-c', 'wg pubkey < "$0"', file]);
    return { file, pub: pub.trim() };
  }

  private async tunnel(name: Name, address: string, settings: readonly string[]): Promise<void> {
    const own = tunnelOf(name);
    const [command, ...prefix] = this.inside(name);
    const child = spawn(command!, [...prefix, 'wireguard-go', '-f', own], { stdio: 'ignore' });
    this.tunnels.push(child);
    for (;;) {
      if (child.exitCode !== null) throw new Error('wireguard-go ended by itself');
      const isThere = await this.exec(name, 'wg', 'show', own).then(
        () => true,
        () => false,
      );
      if (isThere) break;
    }
    await this.exec(name, 'wg', 'set', own, ...settings);
    await this.ip(name, `address add ${address} dev ${own}`);
    await this.ip(name, `link set ${own} up`);
  }
}
