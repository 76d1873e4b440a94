import { describe, expect, it } from 'vitest';
import { slugOf, titleOf, toHtml } from '../../src/openapi/markdown.js';

/* Documents as pages: links, anchors and code, and nothing that a document could do to its page. */

const html = (...lines: string[]) =>
  toHtml(lines.join('\n'), (target) => (target === 'gone.md' ? null : `/docs/${target}`)).trim();

describe('a document', () => {
  it.each<[what: string, lines: string[], html: string]>([
    ['a heading', ['## Find `a` device'], '<h2 id="find-a-device">Find <code>a</code> device</h2>'],
    ['a heading with a link', ['# See [jobs](a.md)'], '<h1 id="see-jobs">See <a href="/docs/a.md">jobs</a></h1>'],
    [
      'code',
      ['```sh', '# no heading', '  a <b>', '```'],
      '<pre tabindex="0"><code># no heading\n  a &lt;b&gt;</code></pre>',
    ],
    ['a link', ['see [jobs](jobs.md#a)'], '<p>see <a href="/docs/jobs.md#a">jobs</a></p>'],
    ['a link to nothing', ['see [it](gone.md)'], '<p>see it</p>'],
    ['an image', ['![alt](a.png)'], '<p><img alt="alt" src="/docs/a.png"></p>'],
    ['a comment', ['<!-- not run: no -->', '', 'a'], '<p>a</p>'],
    ['HTML', ['a <script>x</script> & `<b>`'], '<p>a &lt;script&gt;x&lt;/script&gt; &amp; <code>&lt;b&gt;</code></p>'],
    ['a block of HTML', ['<iframe src="x">', '</iframe>'], '&lt;iframe src=&quot;x&quot;&gt;\n&lt;/iframe&gt;'],
    ['a link with a quote', ['[a](x"onclick=y)'], '<p><a href="/docs/x&quot;onclick=y">a</a></p>'],
  ])('has %s', (_what, lines, expected) => expect(html(...lines)).toBe(expected));

  it('names a document that a link leads to by its title, where the text is the name of its file', () => {
    const shown = (line: string) =>
      toHtml(
        line,
        (target) => `/docs/${target}`,
        (target) => (target === 'a/b.md' ? 'The <b> page' : null),
      ).trim();
    expect(shown('[a/b.md](a/b.md)')).toBe('<p><a href="/docs/a/b.md">The &lt;b&gt; page</a></p>');
    expect(shown('[its words](a/b.md)')).toBe('<p><a href="/docs/a/b.md">its words</a></p>');
    expect(shown('[c.md](c.md)')).toBe('<p><a href="/docs/c.md">c.md</a></p>');
  });

  it('has tables that scroll by themselves', () => {
    const table = html('| a | b |', '|---|---|', '| `x\\|y` | **z** |');
    expect(table).toMatch(/^<div class="box"><table>.*<\/table>\n?<\/div>$/s);
    expect(table).toContain('<td><code>x|y</code></td>');
  });

  it('has a title and anchors', () => {
    expect(titleOf('text\n# The `a` page\n# b')).toBe('The a page');
    expect(slugOf('`GET /v1/x`, and more!')).toBe('get-v1x-and-more');
  });
});
