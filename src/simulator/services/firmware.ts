/* Firmware: from a file or from the vendor, verified, flashed. A bad image is no HTTP error (observed-devices.md 3, Firmware). */
import {
  ACTION_CODES,
  firmwareImage,
  firmwareProgress,
  firmwareStatus,
  firmwareUpdates,
  NEWEST_FIRMWARE,
  PATHS,
} from '../../device-api/contract.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { isNewerFirmware } from '../device/families.js';
import { ImageSink, judgeImage } from '../device/firmware.js';
import { DURATIONS } from '../device/profile.js';
import { dataOf, onGet, onPost, type Route } from '../http/route.js';
import { isOnline } from './network/uplinks.js';

const actionError = ({ code, meaning }: { code: number; meaning: string }, section: string): DeviceRefusal =>
  new DeviceRefusal(code, { error: meaning, source: 'firmware', section });

const VENDOR_IMAGE_BYTES = 24_096_768;

function status(device: SimulatedDevice): SimulatedAnswer {
  return ok({
    kernel_version: device.family.kernel,
    version: device.firmware.version,
    build_date: '2026-01-22 10:26:32',
  });
}

function hasUpdate(device: SimulatedDevice): boolean {
  return isNewerFirmware(device.vendorFirmware, device.firmware.version);
}

function requireInternet(device: SimulatedDevice, section: string): void {
  if (!isOnline(device)) throw actionError(ACTION_CODES.noInternet, section);
}

async function updates(device: SimulatedDevice): Promise<SimulatedAnswer> {
  requireInternet(device, 'updates');
  await device.clock.work(device.random.integer(...DURATIONS.updatesLookup));
  if (!hasUpdate(device))
    return ok({ device: { version: NEWEST_FIRMWARE, size: '0', stable_version: NEWEST_FIRMWARE, stable_size: '0' } });
  const [version, size] = [device.vendorFirmware, String(VENDOR_IMAGE_BYTES)];
  return ok({ device: { version, size, stable_version: version, stable_size: size } });
}

/** Answers at once and fetches in ten steps in the background. */
function fetch(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  requireInternet(device, 'fota_download');
  if (!hasUpdate(device)) throw actionError(ACTION_CODES.nothingToFetch, 'fota_download');
  const { firmware, clock } = device;
  if (firmware.download?.process === 'started') return ok(undefined);
  const download: NonNullable<typeof firmware.download> = { percents: 0, process: 'started' };
  Object.assign(firmware, { download, image: null });
  const failAt = device.faults.strikeOperation('download-fails')?.percent ?? null;
  const isFrozen = device.faults.strikeOperation('progress-frozen') !== null;
  device.did(request.entry, 'fetch', device.vendorFirmware);
  const pieceMs = device.random.integer(...DURATIONS.firmwareDownload) / 10;
  const piece = (): void => {
    if (device.firmware.download !== download) return;
    download.percents += 10;
    if (failAt !== null && download.percents >= failAt) download.process = 'failed';
    else if (isFrozen && download.percents >= 50) return;
    else if (download.percents < 100) clock.after(pieceMs, piece);
    else finishDownload(device, download);
  };
  clock.after(pieceMs, piece);
  return ok(undefined);
}

function finishDownload(device: SimulatedDevice, download: { process: string }): void {
  download.process = 'succeeded';
  const header = {
    platform: device.family.platform,
    version: device.vendorFirmware,
    payloadBytes: 0,
    payloadSha256: '',
    authorized: true,
  };
  const digest = device.random.bytes(32).toString('hex');
  device.firmware.image = judgeImage(header, device.family, device.firmware.version, {
    size: VENDOR_IMAGE_BYTES,
    md5: digest.slice(0, 32),
    sha256: digest,
  });
}

function progress(device: SimulatedDevice): SimulatedAnswer {
  const { percents, process } = device.firmware.download ?? { percents: 0, process: 'failed' };
  return ok({ percents: String(percents), process });
}

function upload(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const file = request.file!;
  const header = device.faults.strikeOperation('image-invalid') ? null : (file.sink as ImageSink).header();
  const foreign = device.faults.strikeOperation('image-other-family');
  const judged = judgeImage(
    header && foreign ? { ...header, platform: 'OTHER' } : header,
    device.family,
    device.firmware.version,
    file,
  );
  device.firmware.image = judged;
  device.firmware.download = null;
  device.did(request.entry, 'upload', judged.version || file.name);
  return ok(judged.report);
}

function verify(device: SimulatedDevice): SimulatedAnswer {
  const { image } = device.firmware;
  if (!image) throw actionError(ACTION_CODES.firmwareMissing, 'verify');
  return ok(image.report);
}

function remove(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  if (!device.firmware.image) throw actionError(ACTION_CODES.firmwareMissing, 'delete_device_firmware');
  device.firmware.image = null;
  device.did(request.entry, 'delete', 'firmware image');
  return ok({ response: 'Firmware image deleted' });
}

/** 200 first, then the device goes away and flashes. */
function upgrade(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const { image } = device.firmware;
  if (!image?.flashable) throw actionError(ACTION_CODES.firmwareMissing, 'upgrade');
  const keep = dataOf(request)['keep_settings'] ?? '1';
  if (keep !== '0' && keep !== '1')
    throw new DeviceRefusal(103, { source: 'keep_settings', section: 'upgrade', value: keep });
  device.flash(image.version, keep === '1', request.entry);
  return ok(undefined);
}

export const FIRMWARE_ROUTES: readonly Route[] = [
  onGet(PATHS.firmwareStatus, 'The running firmware', status, { answer: firmwareStatus }),
  onGet(PATHS.firmwareUpdates, "What the vendor's server offers", updates, { answer: firmwareUpdates, codes: [15] }),
  onPost(PATHS.fetchFirmware, "Downloads the vendor's image in the background", fetch, {
    codes: [7, 15],
    effect: 'fetch',
  }),
  onGet(PATHS.firmwareProgress, 'How far the download is', progress, { answer: firmwareProgress }),
  onPost(PATHS.uploadFirmware, 'Takes a firmware image and judges it', upload, {
    answer: firmwareImage,
    upload: () => new ImageSink(),
    codes: [150, 151],
    effect: 'upload',
  }),
  onPost(PATHS.verifyFirmware, 'The judgement of the image again', verify, { answer: firmwareImage, codes: [3] }),
  onPost(PATHS.deleteFirmware, 'Forgets the image', remove, { codes: [3], effect: 'delete' }),
  onPost(PATHS.upgradeFirmware, 'Flashes the image', upgrade, { codes: [3, 103], effect: 'flash' }),
];
