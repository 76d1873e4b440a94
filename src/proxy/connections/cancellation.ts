/**
 * Cancels a running call when its caller disconnects. A call waits at one point at a time, so one listener is enough.
 * An AbortSignal for each request would cost as much as the strict path, rights and slots together.
 */
export class Cancellation {
  isCancelled = false;
  private listener: (() => void) | null = null;

  /** Sets the listener; null removes it. */
  onCancel(listener: (() => void) | null): void {
    this.listener = listener;
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.listener?.();
  }

  /** Cancels when `signal` aborts. Returns a function that ends the subscription. */
  followSignal(signal: AbortSignal): () => void {
    if (signal.aborted) this.cancel();
    const onAbort = () => this.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  }
}
