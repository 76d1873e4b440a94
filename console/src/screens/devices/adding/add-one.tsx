import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { Button } from '../../../ui/button.js';
import { CancelButton } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import { missingText } from '../../../ui/leaving/missing-text.js';
import { useUnsavedFields } from '../../../ui/leaving/unsaved.js';
import { type FieldChanges, hasWrongNumber } from '../../device/device-change.js';
import { type TypedAddress, readAddress } from './device-address.js';
import { DeviceFields, type DeviceForm, FIELDS_SHOWN } from './device-fields.js';
import { FoundDevice } from './found-device.js';

const EMPTY: DeviceForm = { name: '', baseUrl: '', site: '', tags: '', username: 'admin', password: '' };

interface AddOneProps {
  onClose: () => void;
  /** What is above the form. */
  children: ReactNode;
}

interface Registered {
  readonly id: string;
  readonly name: string;
  readonly hasLogin: boolean;
}

/** Registers one device, then says what the gateway found there. The next one begins with the same site, tags and user name. */
export function AddOne({ onClose, children }: AddOneProps): ReactNode {
  const [first, setFirst] = useState(EMPTY);
  const [registered, setRegistered] = useState<Registered | null>(null);
  if (registered === null)
    return (
      <RegisterForm
        first={first}
        onRegistered={(device, form) => {
          setFirst({ ...form, name: '', baseUrl: '', password: '' });
          setRegistered(device);
        }}
      >
        {children}
      </RegisterForm>
    );
  return <FoundDevice {...registered} onAnother={() => setRegistered(null)} onClose={onClose} />;
}

interface RegisterFormProps {
  first: DeviceForm;
  onRegistered: (device: Registered, form: DeviceForm) => void;
  children: ReactNode;
}

function RegisterForm({ first, onRegistered, children }: RegisterFormProps): ReactNode {
  const [form, setForm] = useState(first);
  const [fields, setFields] = useState<FieldChanges>({});
  const box = useRef<HTMLFormElement>(null);
  useUnsavedFields(box);
  const address = form.baseUrl.trim() === '' ? null : readAddress(form.baseUrl);
  const { username, password } = form;
  const body = bodyOf(form, address, fields);
  const missing = missingOf(form, address, fields);
  const add = useAction({
    run: () =>
      api.post('/v1/devices', {
        body: { ...body, ...(password === '' ? {} : { credentials: { username, password } }) },
      }),
    done: null, // what was found says it
    refreshes: ['devices'],
    after: ({ id, name }) => onRegistered({ id, name, hasLogin: password !== '' }, form),
    quiet: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form ref={box} onSubmit={submit}>
      <div className="dialog-body">
        {children}
        <DeviceFields
          form={form}
          onForm={setForm}
          fields={fields}
          onFields={setFields}
          error={add.error}
          isSent={add.isPending || add.isSuccess}
        />
        {add.error ? <Failure error={add.error} placed={(_pointer, field) => FIELDS_SHOWN.has(field)} /> : null}
        <EquivalentLines
          command={`device add ${shellWord(form.name || 'NAME')} --base-url ${shellWord(body.baseUrl || 'https://…')}`}
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

const missingOf = ({ name, baseUrl }: DeviceForm, address: TypedAddress | null, fields: FieldChanges): string =>
  missingText([
    name.trim() === '' && 'a name',
    baseUrl.trim() === '' && 'an address',
    address?.url === null && 'an address that can be read',
    hasWrongNumber(fields) && 'a number',
  ]);

function bodyOf({ name, baseUrl, site, tags: typed }: DeviceForm, address: TypedAddress | null, fields: FieldChanges) {
  const tags = typed
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    name,
    baseUrl: address?.url ?? baseUrl,
    site,
    tags,
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
  };
}
