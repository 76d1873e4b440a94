import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/* Themes differ in colours alone. So the browser tests look with most rules in one theme. */

/** Sheets of all pages, and modules beside their screens. */
const STYLES = 'console/src';
const TOKENS = path.join('styles', 'base', 'tokens.css');

/** Values of a theme: `#14181f`, `rgb(0 0 0 / 60%)`, a shadow, and the scheme of the browser's own controls. */
const COLOUR = /^(?:#[0-9a-f]{6}|rgb\([\d ]+\/ \d+%\)|(?:0 |\d+px )+(?:rgb\([\d ]+\/ \d+%\)|#[0-9a-f]{6})|light|dark)$/;

const files = readdirSync(STYLES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
const textOf = (file: string) => readFileSync(path.join(STYLES, file), 'utf8');

function themes(): Map<string, ReadonlyMap<string, string>> {
  const blocks = textOf(TOKENS).matchAll(/\[data-theme='(\w+)'\] \{([^}]*)\}/g);
  return new Map(
    [...blocks].map(([, name, body]) => [
      name!,
      new Map([...body!.matchAll(/([\w-]+): ([^;]+);/g)].map(([, property, value]) => [property!, value!])),
    ]),
  );
}

it('themes set the same properties, all of them colours', () => {
  const all = themes();
  expect([...all.keys()]).toEqual(['light', 'dark', 'contrast']);
  const properties = [...all.get('light')!.keys()];
  expect(properties.length).toBeGreaterThan(20);
  for (const theme of all.values()) {
    expect([...theme.keys()]).toEqual(properties);
    expect([...theme].filter(([, value]) => !COLOUR.test(value))).toEqual([]);
  }
});

it('no other style looks at the theme', () => {
  expect(files.length).toBeGreaterThan(10);
  const others = files.filter((file) => file !== TOKENS);
  expect(
    others.filter((file) => /data-theme|prefers-color-scheme|prefers-contrast|light-dark\(/.test(textOf(file))),
  ).toEqual([]);
});
