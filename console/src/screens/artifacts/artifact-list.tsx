import { type ReactNode } from 'react';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useAddForm, useSearchText } from '../../ui/to.js';
import { ArtifactDialog } from './artifact.js';
import { FileTable } from './file-table.js';
import { FirmwareTable } from './firmware-table.js';
import { UploadDialog } from './upload.js';

const TABS = [
  ['firmware', 'Firmware'],
  ['files', 'Files'],
] as const;

/** Firmware with the devices that run it or have an older one; and behind a second tab the other stored files. */
export function Artifacts(): ReactNode {
  const [{ tab, kind, artifact }, change] = useSearchText();
  const mayManage = useMay('artifact.manage');
  const [isUpload, setUpload] = useAddForm(mayManage);
  // A link to a kind of files, such as to backups, opens the files.
  const isFiles = tab === undefined ? kind !== undefined && kind !== 'firmware' : tab === 'files';
  return (
    <Page
      title="Firmware and files"
      actions={
        mayManage && (
          <Button kind="primary" icon="plus" onClick={() => setUpload(true)}>
            {isFiles ? 'Upload a file' : 'Upload firmware'}
          </Button>
        )
      }
    >
      <Tabs label="Firmware and files" tabs={TABS} current={isFiles ? 'files' : 'firmware'} />
      {isFiles ? <FileTable kind={kind ?? 'any'} /> : <FirmwareTable />}
      {isUpload && <UploadDialog onClose={() => setUpload(false)} />}
      {artifact && <ArtifactDialog id={artifact} onClose={() => change({ artifact: undefined })} />}
    </Page>
  );
}
