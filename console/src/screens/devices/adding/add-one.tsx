import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { fieldError } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { CancelButton } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { missingText } from '../../../ui/leaving/missing-text.js';
import { useUnsavedFields } from '../../../ui/leaving/unsaved.js';
import { useGo } from '../../../ui/to.js';

const EMPTY = { name: '', baseUrl: '', site: '', tags: '', username: 'admin', password: '' };

interface AddOneProps {
  onClose: () => void;
  /** What is above the form. */
  children: ReactNode;
}

/** Registers one device. */
export function AddOne({ onClose, children }: AddOneProps): ReactNode {
  const [form, setForm] = useState(EMPTY);
  const box = useRef<HTMLFormElement>(null);
  useUnsavedFields(box);
  const go = useGo();
  const { name, baseUrl, site, username, password } = form;
  const tags = form.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const body = { name, baseUrl, site, tags };
  const missing = missingText([name.trim() === '' && 'a name', baseUrl.trim() === '' && 'an address']);
  const add = useAction({
    run: () =>
      api.post('/v1/devices', {
        body: { ...body, ...(password === '' ? {} : { credentials: { username, password } }) },
      }),
    done: `${name} is registered`,
    refreshes: ['devices'],
    after: ({ id }) => {
      onClose();
      go(`/devices/${id}`);
    },
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const text = (field: keyof typeof EMPTY) => ({
    value: form[field],
    wrong: fieldError(add.error, field),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <form ref={box} onSubmit={submit}>
      <div className="dialog-body">
        {children}
        <Fields text={text} />
        {add.error ? <Failure error={add.error} placed={(_pointer, field) => Object.hasOwn(EMPTY, field)} /> : null}
        <EquivalentLines
          command={`device add ${shellWord(name || 'NAME')} --base-url ${shellWord(baseUrl || 'https://…')}`}
          method="POST"
          path="/v1/devices"
          body={body}
        />
      </div>
      <div className="dialog-foot">
        {missing && <span className="small quiet dialog-missing">{missing}</span>}
        <CancelButton />
        <Button type="submit" kind="primary" busy={add.isPending} disabled={missing !== ''}>
          Register the device
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  text: (field: keyof typeof EMPTY) => {
    value: string;
    wrong: string | null;
    onChange: (event: { target: { value: string } }) => void;
  };
}

function Fields({ text }: FieldsProps): ReactNode {
  return (
    <>
      <TextField label="Name" required autoFocus placeholder="pump-1" {...text('name')} />
      <TextField label="Address" required placeholder="https://192.0.2.7" {...text('baseUrl')} />
      <div className="columns">
        <TextField label="Site" placeholder="vilnius/plant-2" {...text('site')} />
        <TextField label="Tags" placeholder="pump, critical" hint="Separated by commas" {...text('tags')} />
        <TextField label="User name on the device" autoComplete="off" {...text('username')} />
        <TextField
          label="Password on the device"
          type="password"
          autoComplete="new-password"
          hint="Stored sealed; it is never shown again"
          {...text('password')}
        />
      </div>
      <p className="quiet">
        At the first contact the gateway accepts the certificate that the device shows, and knows it by it from then on.
        Compare its fingerprint, on the page of the device under Certificates, where the network is not your own.
      </p>
    </>
  );
}
