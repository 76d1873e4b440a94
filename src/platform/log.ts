import { type LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';
import { standardOutput } from './output/standard-output.js';
import { errorChain } from './errors/error-chain.js';

/*
 * Logs are JSON lines. Redaction is an allow-list: a field that is not listed below is not written, so a new field
 * cannot leak anything. Levels by frequency: `error` needs a person, `warn` may, `info` is rare (start, stop, a job's
 * end), `debug` is every request. Lines of a request get its id explicitly: an async context for it costs every request
 * a tenth of its time (promise hooks).
 */
const ALLOWED_FIELDS = new Set([
  'actor', 'address', 'aheadMs', 'artifactId', 'attempt', 'backend', 'bytes', 'code', 'context', 'count', 'deviceId', 'did',
  'epoch', 'error', 'everyMs', 'jobId', 'keyId', 'kind', 'method', 'ms', 'name', 'outcome', 'path', 'phase', 'pid',
  'port', 'reason', 'requestId', 'role', 'rolloutId', 'route', 'stack', 'status', 'step', 'stepMs', 'sweeper', 'url', 'version',
]); // prettier-ignore

/** The token of the log, for injection. */
export const LOG = Symbol('log');

/** Returns the allowed fields, and the names of the others in `hidden`. */
function allowed(fields: Record<string, unknown>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  const hidden: string[] = [];
  for (const [field, value] of Object.entries(fields)) {
    if (ALLOWED_FIELDS.has(field))
      written[field] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    else hidden.push(field);
  }
  return hidden.length > 0 ? { ...written, hidden: hidden.join(' ') } : written;
}

/**
 * Creates the logger of the process. `sink` takes the lines in tests; the default is standard output, which never blocks:
 * what its reader does not take is dropped, and a line says how many when it reads again.
 */
export function createLog(level: string, sink?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: allowed },
  };
  if (sink) return pino(options, sink);
  const output = standardOutput(1);
  const log = pino(options, output);
  output.whenWorking((count) =>
    log.warn({ count }, 'Lines of the log were dropped: its reader was away, slow or full'),
  );
  return log;
}

/** The log fields of an error. Messages of causes belong only into the log. */
export function errorFields(error: unknown): Record<string, unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { error: errorChain(error), code, stack: error instanceof Error ? error.stack : undefined };
}

/** Writes Nest's lines into the same log. */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest); // Nest's start-up lines do not matter to operators
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: 'debug' | 'error' | 'warn' | 'trace' | 'fatal', message: unknown, rest: unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    if (message instanceof Error) this.sink[level]({ context, ...errorFields(message) }, message.message);
    else this.sink[level]({ context }, String(message));
  }
}
