/*
 * What a fan-out costs at least in Node: a bare loop over the devices, so many at once, that logs in where it has no token,
 * makes the call and reads the answer. Two clients: undici's `Client`, one per device behind one connector with a shared
 * TLS context, and `node:https` with a keep-alive agent. No rights, no pins, no limits, nothing written.
 */
import { Agent, request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { type FleetDevice } from '../fleet.js';
import { serveParent, startHelper, type Helper } from '../processes.js';

export interface LoopQuestion {
  readonly client: 'undici' | 'https';
  readonly devices: readonly FleetDevice[];
  /** Closes connections and forgets tokens before. */
  readonly cold: boolean;
  readonly atOnce: number;
  readonly path: string;
  /** The call is made so often on each device, as a job polls; absent: once. */
  readonly times?: number;
  /** With this pause in between, during which the device keeps its place among those at once. */
  readonly pauseMs?: number;
}

/** Answers with the milliseconds that the loop took. */
export type Loops = Helper<null, LoopQuestion, number>;

export const startLoops = (nodeFlags: readonly string[] = []): Promise<Loops> =>
  startHelper('baselines/fan-out-loop.js', {}, nodeFlags);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The way to one device. */
interface DeviceConnection {
  token: string | null;
  send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer>;
  close(): void;
}

const secureContext = createSecureContext();

const connector: buildConnector.connector = ({ hostname, port }, done) => {
  const socket = connectTls({ host: hostname, port: Number(port), secureContext, rejectUnauthorized: false });
  socket.setNoDelay(true);
  socket.once('error', (error) => done(error, null));
  socket.once('secureConnect', () => done(null, socket));
};

function undiciConnection({ port }: FleetDevice): DeviceConnection {
  const client = new Client(`https://127.0.0.1:${port}`, { connect: connector, keepAliveTimeout: 60_000 });
  return {
    token: null,
    close: () => void client.destroy(),
    send: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let status = 0;
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart: () => {},
          onResponseStart: (_controller, code) => void (status = code),
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
          onResponseError: (_controller, error) => reject(error),
        };
        client.dispatch({ method, path, headers, body: body ?? null }, handler);
      }),
  };
}

const newAgent = () => new Agent({ keepAlive: true, rejectUnauthorized: false, secureContext });
let agent = newAgent();

function httpsConnection({ port }: FleetDevice): DeviceConnection {
  return {
    token: null,
    close: () => {},
    send: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const request = httpsRequest({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        });
        request.once('error', reject);
        request.end(body);
      }),
  };
}

const connections = { undici: new Map<number, DeviceConnection>(), https: new Map<number, DeviceConnection>() };

async function login(connection: DeviceConnection, { username, password }: FleetDevice): Promise<string> {
  const body = JSON.stringify({ data: { username, password } });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const { status, text } = await connection.send('POST', '/api/login', headers, body);
  if (status !== 200) throw new Error(`a login answered ${status}`);
  return (JSON.parse(text) as { data: { token: string } }).data.token;
}

async function callOne({ client, path, times = 1, pauseMs = 0 }: LoopQuestion, device: FleetDevice): Promise<void> {
  let connection = connections[client].get(device.port);
  if (!connection)
    connections[client].set(
      device.port,
      (connection = client === 'undici' ? undiciConnection(device) : httpsConnection(device)),
    );
  connection.token ??= await login(connection, device);
  for (let time = 0; time < times; time++) {
    if (time > 0) await pause(pauseMs);
    const { status } = await connection.send('GET', path, { authorization: `Bearer ${connection.token}` });
    if (status !== 200) throw new Error(`a device answered ${status}`);
  }
}

function forget(client: LoopQuestion['client']): void {
  for (const connection of connections[client].values()) connection.close();
  connections[client].clear();
  if (client !== 'https') return;
  agent.destroy();
  agent = newAgent();
}

async function run(question: LoopQuestion): Promise<number> {
  if (question.cold) forget(question.client);
  const waiting = question.devices.values();
  const worker = async () => {
    for (const device of waiting) await callOne(question, device);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: question.atOnce }, worker));
  return performance.now() - startedAt;
}

if (process.argv[1]?.endsWith('fan-out-loop.js')) await serveParent(async () => ({ ready: null, answer: run }));
