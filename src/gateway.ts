import 'reflect-metadata';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger } from 'pino';
import { AppModule } from './app.module.js';
import { AddressRules } from './devices/registry/address-rules.js';
import { takeTurns } from './connection-turns.js';
import { serveConsole } from './console.js';
import { serveDocument } from './openapi/openapi.js';
import { type Clock } from './platform/clock.js';
import { type GatewayConfig } from './platform/config.js';
import { checkConnections } from './database/connection/connection-budget.js';
import { databaseUrls, neededRootKey, prepareDatabase } from './database/database.js';
import { checkedUrls } from './database/connection/pooler-mode.js';
import { type EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { deviceHosts } from './proxy/passthrough/device-hosts.js';
import { createHttpServer } from './http/http-server.js';
import { createLog, NestLog } from './platform/log.js';
import { Metrics } from './platform/metrics.js';
import { type ChildServices, type ParentProcess } from './processes/parent-process.js';
import { Readiness } from './http/readiness.js';
import { readRootKeys } from './secrets/root-key-source.js';
import { freeListener, prepareStart } from './start.js';

/** At a stop, requests under way may take so long. */
const REQUESTS_END_WITHIN_MS = 8_000;

/** How often connections that a worker has left to others are looked at. */
const CLOSE_IDLE_EVERY_MS = 1_000;

export interface Gateway {
  readonly app: NestFastifyApplication;
  /** Where operators reach it: PUBLIC_URL, and without one the listener. A process beside it may not reach this address. */
  readonly url: string;
  /** The listener itself, on an address of this host. */
  readonly listenerUrl: string;
  readonly log: Logger;
  /** Ends in order: no new requests, jobs handed back, sweepers ended, outcomes written, database closed and stopped. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly config: GatewayConfig;
  /** Tests: where log lines go, and a clock of their own. */
  readonly logSink?: DestinationStream;
  readonly clock?: Clock;
  /** Ends the wait for a database that is away. */
  readonly stop?: AbortSignal;
  /** In a child of `npm start`: its parent has checked the port and started the database. */
  readonly parent?: ParentProcess;
}

/**
 * Starts the gateway: database (embedded unless given), schema, root key, application, listener.
 * @throws Error in an operator's words when a part cannot start
 */
export async function startGateway({ config, logSink, clock, stop, parent }: GatewayOptions): Promise<Gateway> {
  const log = parent
    ? createLog(config.LOG_LEVEL, logSink).child({ pid: process.pid })
    : createLog(config.LOG_LEVEL, logSink);
  const embedded = parent ? null : (await prepareStart(config)).database;
  try {
    const embeddedUrl = embedded?.url ?? parent?.task.databaseUrl ?? '';
    const urls = await checkedUrls(databaseUrls(config, embeddedUrl), { log, stop });
    await checkConnections(urls, config, log, parent?.task.processes);
    await prepareDatabase(urls.ownerUrl, urls.appUrl);
    const rootKeys = await readRootKeys(config, log, await neededRootKey(urls.ownerUrl));
    const metrics = new Metrics();
    if (parent) shareMetrics(metrics, parent);
    const suffix = config.DEVICE_HOST_SUFFIX;
    const http = createHttpServer(config, log, metrics, suffix === undefined ? undefined : deviceHosts(suffix));
    takeTurns(http.getInstance<FastifyInstance>().server);
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.with({ config, log, metrics, urls, rootKeys, parent: parent ?? null, ...(clock ? { clock } : {}) }),
      http,
      { logger: new NestLog(log), bodyParser: false, abortOnError: false },
    );
    try {
      serveDocument(app);
      await serveConsole(app);
      const listenerUrl =
        parent?.task.role === 'worker' ? await standBy(app, config, parent) : await listen(app, config);
      const url = config.PUBLIC_URL ?? listenerUrl;
      log.info({ url, role: config.ROLE }, 'The gateway is ready');
      return { app, url, listenerUrl, log, close: () => close(app, embedded, log) };
    } catch (error) {
      await app.close().catch(() => undefined); // the first error is the one to report
      throw error;
    }
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** One address of the machine tells the metrics of all its processes. */
function shareMetrics(metrics: Metrics, { peer, services, task }: ParentProcess): void {
  peer.serve('metrics', metrics.ofProcess(`${task.role} ${task.place}`));
  metrics.askAll = (what) => services.askAll('metrics', what) as Promise<never[]>;
}

async function listen(app: NestFastifyApplication, config: GatewayConfig): Promise<string> {
  await app.listen(config.PORT, config.HOST);
  return ownUrl(app, app.getHttpServer().address() as AddressInfo);
}

/** A worker answers requests only while the processes that should are away. */
async function standBy(
  app: NestFastifyApplication,
  { HOST, PORT }: GatewayConfig,
  { peer, task }: ParentProcess,
): Promise<string> {
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const server = app.getHttpServer();
  let closing: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const inTurn = (step: () => Promise<unknown>) => (last = last.then(step, step).then(() => undefined));
  const services: ChildServices = {
    standIn: (isShared) =>
      inTurn(async () => {
        clearInterval(closing);
        if (server.listening) return;
        if (!isShared) await untilFree({ PORT, HOST });
        await once(server.listen({ port: PORT, host: HOST }), 'listening').catch(endForOthers);
      }),
    standDown: () =>
      inTurn(async () => {
        if (!server.listening) return;
        // A connection that answers now stays open; it closes in a pause of its caller.
        closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
        server.close(() => clearInterval(closing));
      }),
  };
  peer.serve('child', services);
  return ownUrl(app, task);
}

/** A child that was killed has the address for a moment longer. */
const FREE_AGAIN_WITHIN_MS = 1_000;
const LOOK_AGAIN_AFTER_MS = 20;

/** @throws Error EADDRINUSE when another program has the address */
async function untilFree(address: Pick<GatewayConfig, 'PORT' | 'HOST'>): Promise<void> {
  const until = performance.now() + FREE_AGAIN_WITHIN_MS;
  for (;;) {
    try {
      await freeListener(address);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(LOOK_AGAIN_AFTER_MS);
    }
  }
}

/**
 * Node keeps a listener of a child that could not be bound, and gives it to each child that listens next: none could, as long as
 * this process lives. So it ends in order, and another one takes its place.
 */
function endForOthers(error: unknown): never {
  process.kill(process.pid, 'SIGTERM');
  throw error;
}

/** Where the listener is, which no device may be. */
function ownUrl(app: NestFastifyApplication, { address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  app.get(AddressRules).addOwn(address, port);
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Takes no new connections and waits for the requests that are under way; streams that go on are cut at the end. */
async function stopListening(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cutOff = setTimeout(() => server.closeAllConnections(), REQUESTS_END_WITHIN_MS);
  await closed;
  clearTimeout(cutOff);
}

async function close(app: NestFastifyApplication, embedded: EmbeddedPostgres | null, log: Logger): Promise<void> {
  app.get(Readiness).close();
  await stopListening(app);
  await app.close();
  await embedded?.stop();
  log.info('The gateway has stopped');
}
