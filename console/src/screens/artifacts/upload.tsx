import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAction } from '../../api/action.js';
import { fieldError } from '../../api/problems.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { FileDrop } from '../../ui/files/file-drop.js';
import { Failure } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { bytesText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { ARTIFACT_KINDS } from './kinds.js';
import { digestOf, upload } from './upload-request.js';

const KINDS = ARTIFACT_KINDS.filter(([kind]) => kind !== 'backup');

/** Stores a file; shows its digest before, and how much was sent. */
export function UploadDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [{ kind: shown = 'firmware' }, change] = useSearchText();
  const [kind, setKind] = useState(KINDS.some(([known]) => known === shown) ? shown : 'firmware');
  const [file, setFile] = useState<File | null>(null);
  const [signature, setSignature] = useState('');
  const [share, setShare] = useState(0);
  const digest = useDigest(file);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const send = useAction({
    run: (chosen: File) => {
      setShare(0);
      const fields = { kind, name: chosen.name, sha256: digest.data ?? undefined, signature: signature.trim() };
      return upload(chosen, fields, setShare, leaving.current.signal);
    },
    done: ({ name }) => `${name} is stored`,
    refreshes: ['artifacts'],
    after: ({ id }) => {
      change({ add: undefined, kind, tab: kind === 'firmware' ? 'firmware' : 'files', artifact: id, pages: undefined });
    },
    quiet: true,
  });
  const query = new URLSearchParams({ kind, name: file?.name ?? 'FILE' }).toString();
  return (
    <FormDialog
      title={kind === 'firmware' ? 'Upload firmware' : 'Upload a file'}
      send="Upload"
      busy={send.isPending}
      disabled={!file || digest.isLoading}
      missing={[!file && 'a file']}
      onSend={() => file && send.mutate(file)}
      onClose={onClose}
    >
      <FileDrop
        label="File"
        hint={
          kind === 'firmware'
            ? 'A firmware image, such as RUTX_R_00.07.25.3.bin'
            : 'Any file that a job brings to devices'
        }
        file={file}
        choose={setFile}
        disabled={send.isPending}
      />
      <SelectField label="Kind" value={kind} options={KINDS} onChange={(event) => setKind(event.target.value)} />
      {file && <Chosen file={file} digest={digest.isLoading ? 'is computed …' : (digest.data ?? null)} />}
      <details className="equivalent" open={fieldError(send.error, 'signature') ? true : undefined}>
        <summary className="small quiet">It has a signature</summary>
        <TextField
          label="Signature"
          hint="Ed25519 over the digest, in base64"
          value={signature}
          spellCheck={false}
          autoComplete="off"
          wrong={fieldError(send.error, 'signature')}
          onChange={(event) => setSignature(event.target.value)}
        />
      </details>
      {send.isPending && <Sent share={share} />}
      {send.error ? <Failure error={send.error} /> : null}
      <EquivalentLines
        command={
          kind === 'firmware'
            ? `firmware upload ${shellWord(file?.name ?? 'FILE')}`
            : `artifact upload ${shellWord(file?.name ?? 'FILE')} --kind ${kind}`
        }
        method="POST"
        path={`/v1/artifacts?${query}`}
      />
    </FormDialog>
  );
}

const useDigest = (file: File | null) =>
  useQuery({
    queryKey: KEYS.digest.one(file?.name, file?.size, file?.lastModified),
    queryFn: () => digestOf(file!),
    enabled: file !== null,
    staleTime: Infinity,
    retry: false,
  });

function Chosen({ file, digest }: { file: File; digest: string | null }): ReactNode {
  return (
    <p className="small quiet foreign" role="status">
      {bytesText(file.size)} · SHA-256 <code>{digest ?? 'is computed by the gateway'}</code>
    </p>
  );
}

function Sent({ share }: { share: number }): ReactNode {
  const percent = Math.floor(100 * share);
  return (
    <div className="stack" role="status">
      <div
        className="bar"
        role="progressbar"
        aria-label="Upload"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      <span className="small quiet">
        {percent < 100 ? `${percent} % sent` : 'All sent; the gateway checks its digest and stores it …'}
      </span>
    </div>
  );
}
