/* What a browser loads of the console, in bytes after gzip, and the limits of it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const KB = 1000;

/** Limits in bytes after gzip. */
export const LIMITS = { firstScripts: 180 * KB, firstStyles: 30 * KB, screen: 60 * KB };

/**
 * Reads the manifest of a build.
 * @returns bytes of the first load, and what each screen loads besides
 */
export function sizesOf(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8'));
  const bytes = new Map();
  const size = (file) => {
    if (!bytes.has(file)) bytes.set(file, gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length);
    return bytes.get(file);
  };
  const sum = (files) => [...files].reduce((total, file) => total + size(file), 0);
  const loads = (key, seen = new Set()) => {
    if (seen.has(key)) return seen;
    seen.add(key);
    for (const next of manifest[key].imports ?? []) loads(next, seen);
    return seen;
  };
  const filesOf = (keys) => [...keys].map((key) => manifest[key].file);
  const stylesOf = (keys) => new Set([...keys].flatMap((key) => manifest[key].css ?? []));
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
  const first = loads(entry);
  const screens = Object.keys(manifest)
    .filter((key) => manifest[key].isDynamicEntry)
    .map((key) => {
      const own = [...loads(key)].filter((part) => !first.has(part));
      return { name: key, bytes: sum(filesOf(own)) + sum(stylesOf(own)) };
    });
  return { firstScripts: sum(filesOf(first)), firstStyles: sum(stylesOf(first)), screens };
}

/** One line for each part that is above its limit. */
export function tooLarge(folder) {
  const { firstScripts, firstStyles, screens } = sizesOf(folder);
  const parts = [
    ['scripts of the first load', firstScripts, LIMITS.firstScripts],
    ['styles of the first load', firstStyles, LIMITS.firstStyles],
    ...screens.map(({ name, bytes }) => [name, bytes, LIMITS.screen]),
  ];
  return parts
    .filter(([, bytes, limit]) => bytes > limit)
    .map(([name, bytes, limit]) => `${name}: ${(bytes / KB).toFixed(1)} kB, at most ${limit / KB} kB`);
}
