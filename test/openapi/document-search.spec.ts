import { expect, it } from 'vitest';
import { partsOf, searchContent } from '../../src/openapi/document-search.js';

const PAGE = `# Keep backups

A policy says how many are stored.

<!-- not run: an example -->
\`\`\`sh
fleetgate backup-policy add nightly
\`\`\`

## Limits

| field | meaning |
|---|---|
| \`keepCount\` | the newest of a device |
`;

const page = partsOf(PAGE, 'Keep backups', '/docs/howto/keep');
const excerptsOf = (html: string) => [...html.matchAll(/<p>(.*?)<\/p>/g)].map(([, text]) => text);

it('finds what stands in code and shows the sentences beside it, without marks of comments and tables', () => {
  expect(excerptsOf(searchContent(page, 'nightly'))).toEqual(['A policy says how many are stored.']);
  expect(excerptsOf(searchContent(page, 'newest'))).toEqual([
    'field · meaning keepCount · the <mark>newest</mark> of a device',
  ]);
});

it('cuts an excerpt between words', () => {
  const long = partsOf(`# Long\n\n${'abcdefghi '.repeat(20)}needle ${'abcdefghi '.repeat(40)}`, 'Long', '/docs/long');
  const [excerpt = ''] = excerptsOf(searchContent(long, 'needle'));
  const words = excerpt
    .replaceAll(/<\/?mark>|…/g, '')
    .trim()
    .split(' ');
  expect(new Set(words)).toEqual(new Set(['abcdefghi', 'needle']));
  expect(excerpt).toMatch(/^… .* …$/);
});

it('has the page that is called so before a heading, and equal ones in their order', () => {
  const parts = [
    ...partsOf('# Guide\n\n## Restore\n\nText.', 'Guide', '/docs/howto/guide'),
    ...partsOf('# Facts\n\n## Restore\n\nText.', 'Facts', '/docs/reference/facts'),
    ...partsOf('# Restore\n\nText.', 'Restore', '/docs/reference/restore'),
  ];
  const places = [...searchContent(parts, 'restore').matchAll(/href="([^"#]+)/g)].map(([, place]) => place);
  expect(places).toEqual(['/docs/reference/restore', '/docs/howto/guide', '/docs/reference/facts']);
});
