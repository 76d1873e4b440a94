/**
 * Tells a call on its way that nobody waits for it any more. It waits in one place at a time, so there is one listener:
 * an AbortSignal for each request, with its events, costs as much as the strict path, rights and slots together.
 */
export class Gone {
  happened = false;
  private listener: (() => void) | null = null;

  /** From now on this is called when it happens; null: nobody is. */
  watch(listener: (() => void) | null): void {
    this.listener = listener;
  }

  happen(): void {
    if (this.happened) return;
    this.happened = true;
    this.listener?.();
  }

  /** Follows a signal. Returns the end of that. */
  follow(signal: AbortSignal): () => void {
    if (signal.aborted) this.happen();
    const onAbort = () => this.happen();
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  }
}
