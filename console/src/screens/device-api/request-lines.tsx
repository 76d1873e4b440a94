import { type ReactNode } from 'react';
import { curlLine, shellWord, typescriptLines } from '../../api/equivalents.js';
import { type Schema } from '../../api/client.js';
import { gatewayUrl } from '../../api/own-path.js';
import { Line } from '../../ui/equivalent-lines.js';
import { type DeviceCall, gatewayPath } from './device-call.js';

/** The same call as a command, as curl and as TypeScript, to copy. */
export function RequestLines({ device, call }: { device: Schema<'Device'>; call: DeviceCall }): ReactNode {
  const request = {
    method: call.method,
    path: gatewayPath(`name:${encodeURIComponent(device.name)}`, call.path),
    ...(call.json === undefined ? {} : { body: call.json }),
  };
  const words = ['fleetgate call', call.method.toLowerCase(), shellWord(device.name), shellWord(call.path)];
  if (call.json !== undefined) words.push('-f body.json');
  if (call.reason) words.push('--reason', shellWord(call.reason));
  return (
    <details className="equivalent">
      <summary className="small quiet">Copy as a command, curl or TypeScript</summary>
      <div className="stack">
        <Line text={words.join(' ')} />
        <Line text={curlLine(request, gatewayUrl())} />
        <Line text={typescriptLines(request, gatewayUrl())} />
      </div>
    </details>
  );
}
