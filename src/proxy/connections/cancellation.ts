/** Work that can be cancelled. It waits at one point at a time, so one listener is enough. */
export interface Cancellable {
  readonly isCancelled: boolean;
  /** Sets what is called when it is cancelled; null removes it. */
  onCancel(listener: (() => void) | null): void;
}

/** Cancels work of a caller that disconnects. An AbortSignal for each call would cost as much as all its checks together. */
export class Cancellation implements Cancellable {
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
