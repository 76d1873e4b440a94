import { ExchangeError } from '../../device-api/http.js';

/** Work that can be cancelled. It waits at one point at a time, so one listener is enough. */
export interface CancelSignal {
  readonly isCancelled: boolean;
  /** Sets what is called when it is cancelled; null removes it. */
  onCancel(listener: (() => void) | null): void;
}

/** Cancels work of a caller that disconnects. An AbortSignal for each call would cost as much as all its checks together. */
export class Cancellation implements CancelSignal {
  isCancelled = false;
  private listener: (() => void) | null = null;

  onCancel(listener: (() => void) | null): void {
    this.listener = listener;
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.listener?.();
  }
}

/** Waits for a promise until it is cancelled. @throws ExchangeError `aborted` when it is */
export async function unlessCancelled<Result>(cancellable: CancelSignal, promise: Promise<Result>): Promise<Result> {
  const cancelled = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(new ExchangeError('aborted'));
    if (cancellable.isCancelled) abort();
    cancellable.onCancel(abort);
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    cancellable.onCancel(null);
  }
}
