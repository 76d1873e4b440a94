import { type ReactNode, useState } from 'react';
import { shellWord } from '../../api/equivalents.js';
import { ownPath } from '../../api/own-path.js';
import { Dialog } from '../../ui/dialog.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField } from '../../ui/field.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';

const FORMATS = [
  ['csv', 'CSV, as the import takes it'],
  ['ndjson', 'JSON, a device in each line'],
] as const;

/** Saves all devices of a selector as a file, without their passwords. */
export function ExportDevices({ selector, onClose }: { selector: string; onClose: () => void }): ReactNode {
  const [format, setFormat] = useState('csv');
  const preview = usePreview(selector, 'device.read');
  const path = `/v1/devices/export?format=${format}&selector=${encodeURIComponent(selector)}`;
  return (
    <Dialog title="Export devices" onClose={onClose}>
      <div className="dialog-body">
        <SelectionPreview preview={preview} />
        <SelectField
          label="Format"
          value={format}
          options={FORMATS}
          onChange={(event) => setFormat(event.target.value)}
        />
        <p className="quiet">Passwords are not in the file.</p>
        <EquivalentLines
          command={`device export --format ${format} -l ${shellWord(selector)} > devices.${format}`}
          method="GET"
          path={path}
        />
      </div>
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <a className="button" data-kind="primary" href={ownPath(path)} download={`devices.${format}`} onClick={onClose}>
          Save the file
        </a>
      </div>
    </Dialog>
  );
}
