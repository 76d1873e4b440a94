/* `npm run simulator -- image`: writes a firmware image that simulated routers take. */
import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { FAMILIES, FAMILY_NAMES, firmwareName, NEWEST_VENDOR_FIRMWARE, type FamilyName } from './device/families.js';
import { makeFirmwareImage } from './device/firmware.js';

interface ImageFlags {
  readonly family: FamilyName;
  readonly version: string;
  readonly out?: string;
  readonly kb: number;
}

const EXAMPLES = `
Example:
  $ npm run simulator -- image --family RUTX50 --version 07.25.3
      Writes RUTX_R_00.07.25.3.bin; \`fleetgate firmware upload\` stores it in the gateway.`;

/** Writes the file, and says where. */
export function writeImage(args: readonly string[]): void {
  const { family, version, out, kb } = imageCommand()
    .parse([...args], { from: 'user' })
    .opts<ImageFlags>();
  const file = out ?? `${firmwareName(FAMILIES[family], version)}.bin`;
  writeFileSync(file, makeFirmwareImage(FAMILIES[family], version, kb * 1024));
  process.stdout.write(`${file}\n`);
}

function imageCommand(): Command {
  return new Command('simulator image')
    .description('Writes a firmware image that simulated routers of a family take; no real router does.')
    .addOption(new Option('--family <family>', 'the family that it is for').choices(FAMILY_NAMES).makeOptionMandatory())
    .option('--version <version>', 'such as 07.25.3', versionOf, NEWEST_VENDOR_FIRMWARE)
    .option('--out <file>', 'where to write it; absent: named for its version, in this folder')
    .option('--kb <kB>', 'its size', sizeOf, 64)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'simulator:')) })
    .addHelpText('after', EXAMPLES);
}

function versionOf(text: string): string {
  if (!/^\d{1,3}(\.\d{1,3}){1,3}$/.test(text)) throw new InvalidArgumentError('It must be a version such as 07.25.3.');
  return text;
}

function sizeOf(text: string): number {
  const kb = Number(text);
  if (!(Number.isInteger(kb) && kb >= 2 && kb <= 100_000)) throw new InvalidArgumentError('It must be 2 to 100000.');
  return kb;
}
