import { type ReactNode } from 'react';
import { Dialog } from '../../../ui/dialog.js';
import { Tabs } from '../../../ui/tabs.js';
import { useSearchText } from '../../../ui/to.js';
import { AddOne } from './add-one.js';
import { ImportFile } from '../import/import-file.js';
import { SearchNetworks } from './search-networks.js';

const WAYS = [
  ['one', 'One device'],
  ['import', 'A file'],
  ['search', 'Search networks'],
] as const;

/** The three ways to register devices. */
export function AddDevices({ way }: { way: string }): ReactNode {
  const [, change] = useSearchText();
  const close = () => change({ add: undefined, discovery: undefined });
  const tabs = <Tabs label="Ways to add devices" param="add" tabs={WAYS} current={way} />;
  return (
    <Dialog title="Add devices" size="wide" onClose={close}>
      {way === 'import' || way === 'search' ? (
        <div className="dialog-body">
          {tabs}
          {way === 'import' ? <ImportFile /> : <SearchNetworks />}
        </div>
      ) : (
        <AddOne onClose={close}>{tabs}</AddOne>
      )}
    </Dialog>
  );
}
