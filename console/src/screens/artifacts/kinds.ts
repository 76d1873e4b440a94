/* Kinds of stored files. */

export const ARTIFACT_KINDS = [
  ['firmware', 'Firmware'],
  ['backup', 'Backups'],
  ['certificate', 'Certificates'],
  ['configuration', 'Configurations'],
  ['file', 'Other files'],
] as const;

const TITLES: Readonly<Record<string, string>> = {
  firmware: 'Firmware',
  backup: 'Backup',
  certificate: 'Certificate',
  configuration: 'Configuration',
  file: 'File',
};

export const artifactKindTitle = (kind: string): string => TITLES[kind] ?? kind;
