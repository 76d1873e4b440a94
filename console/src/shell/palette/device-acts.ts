/* What the palette does with one device that is named behind a verb. Pure. */

/** What can be done with one device, by the first word of a text that goes on with the device. */
export interface DeviceAct {
  /** Goes on with the name of the device. */
  readonly verb: string;
  readonly words: readonly string[];
  /** Behind the address of the device. */
  readonly query: string;
  readonly needs: string;
}

const DEVICE_ACTS: readonly DeviceAct[] = [
  { verb: 'Restart', words: ['restart', 'reboot'], query: 'act=reboot', needs: 'job.start' },
  { verb: 'Back up', words: ['backup', 'save'], query: 'act=backup', needs: 'job.start' },
  {
    verb: 'Update the firmware of',
    words: ['update', 'firmware', 'upgrade'],
    query: 'act=firmware',
    needs: 'job.start',
  },
  { verb: 'Start a job on', words: ['job', 'start'], query: 'act=job', needs: 'job.start' },
  { verb: 'Edit', words: ['edit', 'rename'], query: 'act=edit', needs: 'device.manage' },
  { verb: 'Lock', words: ['lock', 'freeze'], query: 'act=lock', needs: 'lock.manage' },
  { verb: 'Replace the hardware of', words: ['replace'], query: 'act=replace', needs: 'device.manage' },
  { verb: 'Live status of', words: ['status', 'live', 'signal'], query: 'tab=status', needs: 'device.call_read' },
  {
    verb: 'Configuration of',
    words: ['configuration', 'settings'],
    query: 'tab=configuration',
    needs: 'device.call_read',
  },
  { verb: 'Backups of', words: ['backups', 'restore'], query: 'tab=backups', needs: 'backup.read' },
];

/** Shorter words begin too many others. */
const WORD_MIN = 3;

/** What `restart pump-1` asks for: an act on a device. @returns null: it begins with no such word, or does not go on */
export function actIn(typed: string, permissions: readonly string[]): { act: DeviceAct; device: string } | null {
  const [first = '', ...rest] = typed.replace(/^back up /i, 'backup ').split(' ');
  const device = rest.join(' ').trim();
  if (first.length < WORD_MIN || device === '') return null;
  const asked = first.toLowerCase();
  const named = DEVICE_ACTS.filter(({ needs }) => permissions.includes(needs));
  const act =
    named.find(({ words }) => words.includes(asked)) ??
    named.find(({ words }) => words.some((word) => word.startsWith(asked)));
  return act ? { act, device } : null;
}
