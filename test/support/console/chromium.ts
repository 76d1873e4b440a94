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

let running: Promise<Browser> | null = null;

/**
 * Debian's Chromium, without a window. All files of a run share it: a start takes a second of both cores. Contexts are apart
 * from each other. It ends with the process; after a crash the next file gets another one.
 */
export function sharedChromium(): Promise<Browser> {
  running ??= start();
  return running;
}

async function start(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`There is no Chromium at ${CHROMIUM}; set CHROMIUM_PATH`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  browser.on('disconnected', () => (running = null));
  return browser;
}
