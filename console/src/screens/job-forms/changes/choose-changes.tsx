import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { deviceQuery } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { DeviceField } from '../../../ui/devices/device-field.js';
import { refOf } from '../../../ui/devices/device-ref.js';
import { SelectField } from '../../../ui/field.js';
import { Loading, Notice } from '../../../ui/messages.js';
import { documentQuery } from '../../device-api/document.js';
import { menusOf } from '../../device-configuration/service-menu.js';
import { type Service, servicesOf } from '../../device-configuration/services.js';
import { pathTitle } from '../../observed/path-words.js';
import { type FoundSetting, settingsAt } from '../../templates/draft/found-settings.js';
import { SettingList } from '../../templates/draft/setting-list.js';
import { ByHand } from './by-hand.js';
import { sectionsQuery } from './known-options.js';

interface ChooseChangesProps {
  /** As the API takes it. */
  device: string;
  /** Takes another device as the sample; absent: the job runs on this one. */
  onDevice?: ((device: string) => void) | undefined;
  onChosen: (settings: readonly FoundSetting[]) => void;
  /** The person types the section and the option. */
  onByHand: () => void;
}

/** The settings of the device by the names of its menus: a service of it is read, and its settings are ticked. */
export default function ChooseChanges({ device, onDevice, onChosen, onByHand }: ChooseChangesProps): ReactNode {
  const { data: operations, error } = useQuery({ ...documentQuery(device), retry: false });
  const [path, setPath] = useState('');
  const [chosen, setChosen] = useState<readonly FoundSetting[]>([]);
  const services = useMemo(
    () => inOrderOfMenus(servicesOf(operations ?? []).filter(({ canWrite }) => canWrite)),
    [operations],
  );
  if (!operations && !error) return <Loading what="Asking the device for its services" />;
  return (
    <div className="stack">
      {onDevice && <Sample device={device} onDevice={onDevice} />}
      {services.length === 0 ? (
        <Notice>The device does not tell its services now. Type the section and the option.</Notice>
      ) : (
        <SelectField
          label="Service"
          value={path}
          options={[['', 'Choose …'], ...services.map((one) => [one.path, pathTitle(one.path)] as const)]}
          onChange={({ target }) => {
            setPath(target.value);
            setChosen([]);
          }}
        />
      )}
      {path !== '' && <Settings key={path} device={device} path={path} onChosen={setChosen} />}
      {path !== '' && (
        <div>
          <Button disabled={chosen.length === 0} onClick={() => onChosen(chosen)}>
            {chosen.length === 0 ? 'Change settings' : `Change ${countText(chosen.length, 'setting')}`}
          </Button>
        </div>
      )}
      <ByHand onByHand={onByHand} />
    </div>
  );
}

/** Whose settings are offered: one of the devices, until a person chooses another one. */
function Sample({ device, onDevice }: { device: string; onDevice: (device: string) => void }): ReactNode {
  const { data } = useQuery({ ...deviceQuery(device), retry: false });
  const [typed, setTyped] = useState<string | null>(null);
  const ref = refOf(typed?.trim() ?? '');
  if (typed !== null)
    return (
      <div className="stack">
        <DeviceField value={typed} autoFocus onValue={setTyped} />
        <div>
          <Button disabled={ref === undefined} onClick={() => ref !== undefined && onDevice(ref)}>
            Take the settings of this device
          </Button>
        </div>
      </div>
    );
  return (
    <p className="row">
      <span>
        Settings as <strong className="foreign">{data?.name ?? 'one of the devices'}</strong> has them
      </span>
      <Button kind="link" onClick={() => setTyped('')}>
        Another device
      </Button>
    </p>
  );
}

/** Each once: a menu may show a part of a service by itself. */
const inOrderOfMenus = (services: readonly Service[]): readonly Service[] => [
  ...new Set(
    menusOf(services).flatMap(({ groups }) => groups.flatMap(({ entries }) => entries.map(({ service }) => service))),
  ),
];

const rowOf = (options: Readonly<Record<string, unknown>>) => ({
  section: typeof options['id'] === 'string' ? options['id'] : '',
  options,
});

interface SettingsProps {
  device: string;
  path: string;
  onChosen: (settings: readonly FoundSetting[]) => void;
}

/** What the device has in one service. */
function Settings({ device, path, onChosen }: SettingsProps): ReactNode {
  const { data: sections, error } = useQuery(sectionsQuery(device, path));
  const settings = useMemo(() => settingsAt(path, (sections ?? []).map(rowOf), true), [path, sections]);
  const onItems = useCallback((_items: unknown, of: readonly FoundSetting[]) => onChosen(of), [onChosen]);
  if (error) return <Notice tone="warn">The device did not answer. Type the section and the option.</Notice>;
  if (!sections) return <Loading what="Reading from the device" />;
  if (settings.length === 0) return <Notice>The device has no section there. “Add a change” adds one.</Notice>;
  return (
    <SettingList
      settings={settings}
      note="Beside each is what the device has now. A secret has a button of its own in the form."
      isOfOne
      onItems={onItems}
    />
  );
}
