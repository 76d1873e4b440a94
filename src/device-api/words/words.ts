/*
 * What people read in the place of a device's own names: titles, help, ranges and examples of its configuration, in the order
 * of a router's own menus. Plain data that the console loads with the configuration of a device. It may lack entries: then the
 * device's own name is shown. `test/device-api/words.spec.ts` compares it with what the simulator declares.
 */

/** Of one option. A text alone is its title. */
export interface OptionWords {
  readonly title: string;
  readonly help?: string;
  /** Of a whole number, as devices take it. */
  readonly range?: readonly [least: number, most: number];
  /** Behind the title, such as `seconds`. */
  readonly unit?: string;
  readonly example?: string;
  /** Words for values. */
  readonly values?: Readonly<Record<string, string>>;
}

export type OptionTable = Readonly<Record<string, OptionWords | string>>;

/** Of one configuration service. */
export interface ServiceWords {
  readonly title: string;
  /** One section of its list, such as `zone`. */
  readonly one?: string;
  readonly help?: string;
  /** The id of a new section: the caller has to give one, or the device makes it. Absent: either. */
  readonly id?: 'given' | 'made';
  /** The options whose value is the title of a section; the first with a value is. Absent: those that usually are. */
  readonly called?: readonly string[];
  /** The device looks at its sections in their order, so a title has its place. */
  readonly isOrdered?: true;
  /** What a section is set to, in pieces: `{option}` is its value, and a flag that is on its title. A piece without a value is left out. */
  readonly summary?: readonly string[];
  /** In the order in which people expect them. */
  readonly options?: OptionTable;
}

/** By what stands between `/api/` and `/config`; of a record with its `/global`. `{parent}` is a section of another service. */
export type ServiceTable = Readonly<Record<string, ServiceWords>>;
