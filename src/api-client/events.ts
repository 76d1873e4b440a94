import { isPassing } from './api-error.js';
import { serverSentEvents } from './lines.js';
import { delay, pauseAfter } from './pace.js';
import { type components } from './openapi.js';

/* The stream of events, without gaps: it is opened again after the last event that came. */

/** The gateway sends something at least every 15 s. */
const SILENCE_MS = 45_000;

/** An event of the gateway, with the id at which a stream can continue. */
export type GatewayEvent = components['schemas']['Event'] & { readonly id: string };

export interface EventsOptions {
  /** Types such as `job.ended`, or `job.*`; absent: all. */
  readonly types?: readonly string[];
  /** The id of the last event that the caller has; absent: the stream begins now. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Is told why the stream broke, and after which pause it is opened again. */
  readonly onBreak?: (reason: Error, pauseMs: number) => void;
  /** Is called each time that the stream was opened. */
  readonly onOpen?: () => void;
}

/** Opens the stream after an event. */
export type OpenEvents = (lastEventId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

/**
 * Events until the signal aborts. A broken stream is opened again with `Last-Event-ID`, so no event is lost or comes twice.
 * @throws ApiError when the gateway refuses the stream for a reason that waiting does not change
 */
export async function* followEvents(open: OpenEvents, options: EventsOptions): AsyncGenerator<GatewayEvent> {
  const { signal, onBreak, onOpen } = options;
  let { lastEventId } = options;
  for (let failures = 0; ; failures++) {
    let reason = new Error('The stream ended');
    try {
      const stream = await open(lastEventId);
      onOpen?.();
      for await (const { id, data } of serverSentEvents(stream, SILENCE_MS)) {
        failures = 0;
        if (data !== '') yield { ...(JSON.parse(data) as components['schemas']['Event']), id };
        if (id !== '') lastEventId = id;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      reason = error;
    }
    if (signal?.aborted) return;
    const pauseMs = pauseAfter(failures);
    onBreak?.(reason, pauseMs);
    try {
      await delay(pauseMs, signal);
    } catch {
      return;
    }
  }
}
