export interface ErrorInfo {
  readonly status: number;
  /** Whether the same request may succeed later without a change by the caller; absent: it may not. */
  readonly retryable?: true;
  /** One sentence for a person: what happened. */
  readonly title: string;
  /** One or more sentences for a person: what to do. */
  readonly advice: string;
}
