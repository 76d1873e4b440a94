import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger } from 'pino';
import { AppModule } from './app.module.js';
import { actionProblem } from './audit/entries/audit-actions.js';
import { AddressRules } from './devices/registry/address-rules.js';
import { takeTurns } from './connection-turns.js';
import { serveConsole } from './console.js';
import { serveDocument } from './openapi/openapi.js';
import { type Clock } from './platform/clock.js';
import { type GatewayConfig } from './platform/config.js';
import { warnOfFewConnections } from './database/connection/connection-budget.js';
import { databaseUrls, neededRootKey, prepareDatabase } from './database/database.js';
import { checkedUrls } from './database/connection/pooler-mode.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { deviceHosts } from './proxy/passthrough/device-hosts.js';
import { createHttpServer } from './http/http-server.js';
import { createLog, NestLog } from './platform/log.js';
import { Metrics } from './platform/metrics.js';
import { Readiness } from './http/readiness.js';
import { readRootKeys } from './secrets/root-key-source.js';

/** At a stop, requests under way may take so long. */
const REQUESTS_END_WITHIN_MS = 8_000;

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
}

/**
 * Starts the gateway: database (embedded unless given), schema, root key, application, listener.
 * @throws Error in an operator's words when a part cannot start
 */
export async function startGateway({ config, logSink, clock, stop }: GatewayOptions): Promise<Gateway> {
  const log = createLog(config.LOG_LEVEL, logSink);
  refuseUnknownActions(config);
  await refuseUsedPort(config);
  const embedded = config.DATABASE_URL
    ? null
    : await startEmbeddedPostgres({ root: path.join(config.DATA_DIR, 'postgres') });
  try {
    const urls = await checkedUrls(databaseUrls(config, embedded?.url ?? ''), { log, stop });
    await warnOfFewConnections(urls, config, log);
    await prepareDatabase(urls.ownerUrl, urls.appUrl);
    const rootKeys = await readRootKeys(config, log, await neededRootKey(urls.ownerUrl));
    const metrics = new Metrics();
    const suffix = config.DEVICE_HOST_SUFFIX;
    const http = createHttpServer(config, log, metrics, suffix === undefined ? undefined : deviceHosts(suffix));
    takeTurns(http.getInstance<FastifyInstance>().server);
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.with({ config, log, metrics, urls, rootKeys, ...(clock ? { clock } : {}) }),
      http,
      { logger: new NestLog(log), bodyParser: false, abortOnError: false },
    );
    try {
      serveDocument(app);
      await serveConsole(app);
      const listenerUrl = await listen(app, config);
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

/** A pattern that no change matches would ask for no reason, and the operator would never know. @throws Error */
function refuseUnknownActions({ REQUIRE_CHANGE_REASON: patterns }: GatewayConfig): void {
  const problems = patterns.flatMap((pattern) => {
    const problem = pattern === '*' ? null : actionProblem(pattern);
    return problem === null ? [] : [`  REQUIRE_CHANGE_REASON: ${pattern}: ${problem}`];
  });
  if (problems.length > 0) throw new Error(`The configuration is not valid:\n${problems.join('\n')}`);
}

/** Before anything else starts: a set-up token, or a schema, of a gateway that cannot answer would mislead. @throws Error EADDRINUSE */
async function refuseUsedPort({ PORT: port, HOST: host }: GatewayConfig): Promise<void> {
  if (port === 0) return;
  const trial = createServer().listen({ port, host });
  await once(trial, 'listening');
  trial.close();
  await once(trial, 'close');
}

async function listen(app: NestFastifyApplication, config: GatewayConfig): Promise<string> {
  await app.listen(config.PORT, config.HOST);
  const { address, port } = app.getHttpServer().address() as AddressInfo;
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
