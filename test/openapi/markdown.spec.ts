import { describe, expect, it } from 'vitest';
import { slugOf, titleOf, toHtml } from '../../src/openapi/markdown.js';

/* Documents as pages: what they use, and nothing that a document could do to its page. */

const html = (...lines: string[]) =>
  toHtml(lines.join('\n'), (target) => (target === 'gone.md' ? null : `/docs/${target}`));

describe('a document', () => {
  it.each<[what: string, lines: string[], html: string]>([
    ['a heading', ['## Find `a` device'], '<h2 id="find-a-device">Find <code>a</code> device</h2>'],
    ['a paragraph', ['one', 'two', '', 'three'], '<p>one two</p>\n<p>three</p>'],
    ['a list', ['- one', '  more', '- two'], '<ul><li>one more</li>\n<li>two</li></ul>'],
    ['a numbered list', ['1. one', '2. two'], '<ol><li>one</li>\n<li>two</li></ol>'],
    ['a list in a list', ['- one', '  - two'], '<ul><li>one\n<ul><li>two</li></ul></li></ul>'],
    [
      'code in a list',
      ['1. one', '', '   ```sh', '   a <b>', '   ```', '2. two'],
      '<ol><li>one\n<pre tabindex="0"><code>a &lt;b&gt;</code></pre></li>\n<li>two</li></ol>',
    ],
    [
      'code',
      ['```sh', '# no heading', '  a', '```', 'b'],
      '<pre tabindex="0"><code># no heading\n  a</code></pre>\n<p>b</p>',
    ],
    [
      'a table',
      ['| a | b |', '|---|---|', '| `x\\|y` | **z** |'],
      '<div class="box"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td><strong>z</strong></td></tr></tbody></table></div>',
    ],
    ['a link', ['see [jobs](jobs.md#a)'], '<p>see <a href="/docs/jobs.md#a">jobs</a></p>'],
    ['a link to nothing', ['see [it](gone.md)'], '<p>see it</p>'],
    ['an image', ['![alt](a.png)'], '<p><img alt="alt" src="/docs/a.png"></p>'],
    ['marks in code', ['`a*b*` and *c*'], '<p><code>a*b*</code> and <em>c</em></p>'],
    ['a comment', ['<!-- not run: no -->', 'a'], '<p>a</p>'],
    ['HTML', ['<script>x</script> & `<b>`'], '<p>&lt;script&gt;x&lt;/script&gt; &amp; <code>&lt;b&gt;</code></p>'],
    ['a link with a quote', ['[a](x"onclick=y)'], '<p><a href="/docs/x&quot;onclick=y">a</a></p>'],
  ])('has %s', (_what, lines, expected) => expect(html(...lines)).toBe(expected));

  it('has a title and anchors', () => {
    expect(titleOf('text\n# The `a` page\n# b')).toBe('The a page');
    expect(slugOf('`GET /v1/x`, and [more](y)!')).toBe('get-v1x-and-more');
  });
});
