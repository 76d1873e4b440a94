import { type DragEvent, type ReactNode, useState } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { Icon } from '../icons.js';
import styles from './file-drop.module.css';

interface FileDropProps {
  /** What the file is, such as `File with devices`. */
  label: string;
  /** What it may be, in a few words. */
  hint: string;
  file: File | null;
  accept?: string;
  disabled?: boolean;
  choose: (file: File | null) => void;
}

/** Takes a file that is dropped on it, or that a person chooses. The field of the browser lies over the whole area. */
export function FileDrop({ label, hint, file, accept, disabled = false, choose }: FileDropProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(!disabled);
  };
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [first] = event.dataTransfer.files;
    if (first && !disabled) choose(first);
  };
  return (
    <div
      className={styles['drop']}
      data-over={isOver}
      data-chosen={file !== null}
      aria-disabled={disabled}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <Icon name={file ? 'scroll' : 'upload'} />
      <strong className="foreign">{file ? file.name : 'Drop a file here, or choose one'}</strong>
      <span className="small quiet">{file ? `${bytesText(file.size)} · choose another` : hint}</span>
      <input
        type="file"
        aria-label={label}
        title={label}
        accept={accept}
        disabled={disabled}
        data-first
        onChange={(event) => {
          const [first] = event.target.files ?? [];
          if (first) choose(first);
        }}
      />
    </div>
  );
}
