/* Certificates: generation in the background, listing, download, and the upload of a root certificate. */
import {
  CERTIFICATE_DIRECTORY,
  CERTIFICATE_TYPES,
  certificateListing,
  PATHS,
  uploadedFile,
} from '../../device-api/contract.js';
import { filesOf, type GenerateOrder } from '../device/certificate-store.js';
import type { SimulatedDevice } from '../device/device.js';
import {
  KeepingSink,
  ok,
  DeviceRefusal,
  type SimulatedAnswer,
  type SimulatedRequest,
  requireIn,
} from '../device/exchange.js';
import { dataOf, fileAnswer, onDelete, onGet, onPost, type Route } from '../http/route.js';

const section = 'generate_certificate';
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;

function wholeNumber(value: unknown, source: string, usual: number, min: number, max: number): number {
  if (value === undefined) return usual;
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) throw new DeviceRefusal(103, { source, section, value });
  return number;
}

function orderOf(device: SimulatedDevice, request: SimulatedRequest): GenerateOrder {
  if (request.body === undefined) throw new DeviceRefusal(114, { source: 'certificates', section });
  const data = dataOf(request);
  const { type, name, subject } = data;
  if (typeof type !== 'string' || !(CERTIFICATE_TYPES as readonly string[]).includes(type)) {
    throw new DeviceRefusal(103, { source: 'type', section, ...(type === undefined ? {} : { value: type }) });
  }
  if (name !== undefined && (typeof name !== 'string' || !FILE_NAME.test(name))) {
    throw new DeviceRefusal(103, { source: 'name', section, value: name });
  }
  const bits = wholeNumber(data['key_size'], 'key_size', 2048, 512, 4096);
  return {
    files: filesOf(type, name),
    bits: device.setup.rsaBits ?? bits,
    days: wholeNumber(data['days'], 'days', 3650, 1, 36_500),
    commonName: typeof subject === 'string' ? subject : undefined,
  };
}

function generate(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const order = orderOf(device, request);
  const stuck = device.faults.strikeOperation('generation-stuck');
  const { entry } = request;
  device.certificates.generate(order, stuck ? (stuck.file ?? order.files[0]!) : null, (fullname) =>
    device.didLater('generated', fullname, entry),
  );
  device.did(entry, 'generate', order.files.join(' '));
  return ok({ response: 'Generation started' });
}

const one = (device: SimulatedDevice, { params }: SimulatedRequest): SimulatedAnswer =>
  ok(requireIn(device.certificates.listing().generated, 'fullname', params['fullname'] ?? ''));

function remove(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const id = request.params['fullname']!;
  device.certificates.remove(id);
  device.did(request.entry, 'delete', `certificates/${id}`);
  return ok({ id });
}

async function download(device: SimulatedDevice, { params }: SimulatedRequest): Promise<SimulatedAnswer> {
  const name = params['fullname']!;
  return fileAnswer(Buffer.from(await device.certificates.read(name)), name, 'application/octet-stream');
}

/** The stored path is what a service's configuration refers to afterwards (specification, Endpoints, rule 3). */
function uploadRoot(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const file = request.file!;
  const name = FILE_NAME.test(file.name) ? file.name : 'root_ca.pem';
  device.certificates.put(name, (file.sink as KeepingSink).bytes().toString());
  const path = CERTIFICATE_DIRECTORY + name;
  device.keepUpload(path, file.size);
  device.did(request.entry, 'upload', path);
  return ok({ path });
}

export const CERTIFICATE_ROUTES: readonly Route[] = [
  onGet(
    PATHS.certificates,
    'Files that are there and that are being made',
    (device) => ok(device.certificates.listing()),
    { answer: certificateListing },
  ),
  onGet(`${PATHS.certificates}/{fullname}`, 'One file', one, { codes: [113] }),
  onDelete(`${PATHS.certificates}/{fullname}`, 'Removes one file', remove, { codes: [113], effect: 'delete' }),
  onPost(PATHS.generateCertificates, 'Makes keys and certificates in the background', generate, {
    codes: [103, 109, 114],
    effect: 'generate',
  }),
  onPost('/api/certificates/{fullname}/actions/download', 'The text of one file', download, { codes: [113] }),
  onPost(PATHS.uploadRootCa, 'Takes a root certificate', uploadRoot, {
    answer: uploadedFile,
    upload: () => new KeepingSink(),
    codes: [150, 151],
    effect: 'upload',
  }),
];
