import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox', // as root there is none
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's Chromium, without a window. */
export async function startChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`There is no Chromium at ${CHROMIUM}; set CHROMIUM_PATH`);
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
