/**
 * Tells a running call that its caller has disconnected. A call waits at one point at a time, so there is one listener:
 * an AbortSignal for each request, with its events, costs as much as the strict path, rights and slots together.
 */
export class Gone {
  happened = false;
  private listener: (() => void) | null = null;

  /** Sets the function to call when it happens; null: none. */
  watch(listener: (() => void) | null): void {
    this.listener = listener;
  }

  happen(): void {
    if (this.happened) return;
    this.happened = true;
    this.listener?.();
  }

  /** Follows a signal. Returns a function that stops it. */
  follow(signal: AbortSignal): () => void {
    if (signal.aborted) this.happen();
    const onAbort = () => this.happen();
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  }
}
