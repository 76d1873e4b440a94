/** `spec`: exactly the specification; `rutos`: the additions of real devices; detected on first contact. */
export type DeviceProfile = 'unknown' | 'spec' | 'rutos';

/** How the gateway verifies that it is the same device. */
export type DeviceTrust = 'pin' | 'ca' | 'insecure';

export type DeviceState = 'new' | 'online' | 'offline' | 'credentials_refused' | 'trust_changed';

/** What selectors read of a device, when they match it in memory. */
export interface MatchedDevice {
  readonly id: string;
  readonly name: string;
  readonly serial: string | null;
  readonly mac: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly networkOperator: string | null;
  readonly site: string;
  readonly tags: readonly string[];
  /** Values of custom fields, by key. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly profile: DeviceProfile;
  readonly state: DeviceState;
  readonly trust: DeviceTrust;
  readonly seenAt: Date | null;
}
