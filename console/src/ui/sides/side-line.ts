/** A setting with two values, such as what it should be and what it is. */
export interface SideLine {
  /** The setting. */
  readonly what: string;
  /** What the device has for it, as a hint. */
  readonly hint?: string | undefined;
  readonly one: string;
  readonly other: string;
}
