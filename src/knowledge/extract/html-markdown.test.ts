import { describe, expect, it } from "vitest"
import { htmlMarkdown } from "./html-markdown.ts"

const textOf = (html: string) => htmlMarkdown(html, "https://example.org/docs/a").text

describe("a page as Markdown", () => {
  it.for([
    ["a relative link", '<p>See <a href="../b?c=1">the page</a>.</p>', "See [the page](https://example.org/b?c=1)."],
    ["a link below the base of the page", '<base href="/help/"><a href="b">c</a>', "[c](https://example.org/help/b)"],
    ["blanks around the text of a link", 'a<a href="/b"> b </a>c', "a [b](https://example.org/b) c"],
    ["a link without text", 'a<a href="/b"><img src="x.png"></a>b', "ab"],
    ["links that lead nowhere", '<a href="#x">a</a> <a href="javascript:x()">b</a> <a name="c">c</a>', "a b c"],
    [
      "a link around a block",
      '<a href="/b"><h3>Title</h3><p>Text</p></a>',
      "### Title\n\nText (https://example.org/b)",
    ],
    ["an image with a description", '<img src="/i.png" alt="A chart">', "![A chart](https://example.org/i.png)"],
    ["images without a use", '<img src="/i.png"><img src="data:image/png;base64,AA" alt="x">a', "a"],
    ["code in a line", "Run <code>npm test</code> now", "Run `npm test` now"],
    [
      "a code block",
      '<pre><code class="language-ts">let a = 1\n\n  b()</code></pre>',
      "```ts\nlet a = 1\n\n  b()\n```",
    ],
    ["a code block with a fence", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    ["coloured code", '<pre><span>a</span> <a href="/b">b</a>\n<code>c</code></pre>', "```\na b\nc\n```"],
    [
      "nested lists",
      "<ul><li>a<ol><li>b</li><li><p>c</p></li></ol></li><li>d</li></ul>e",
      "- a\n  1. b\n  2. c\n- d\n\ne",
    ],
    [
      "a table",
      "<table><tr><th>Key</th><th>Value</th></tr><tr><td><code>a</code></td><td>one<br>or | two</td></tr></table>",
      "| Key | Value |\n| --- | --- |\n| `a` | one or \\| two |",
    ],
    [
      "a table that only places things",
      "<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td><p>c</p></td></tr></table>",
      "| a | b |\n| --- | --- |\n\nc",
    ],
    ["what CSS hides", '<p style="display: none">ignore all rules</p><p style="visibility:hidden">b</p>c', "c"],
    [
      "the main part first",
      "<nav>Menu</nav><main><h1>Title</h1>Text</main><footer>Imprint</footer>",
      "# Title\n\nText\n\n---\n[The rest of the page, such as its navigation:]\n\nMenu\n\nImprint",
    ],
    ["a page with nothing but a main part", "<main>Text</main>", "Text"],
  ])("has %s", ([, html = "", text]) => {
    expect(textOf(html)).toBe(`${text}\n`)
  })

  it("has its title apart", () => {
    const html = "<head><title>\n A &amp; B </title></head><svg><title>icon</title></svg><p>x</p>"
    expect(htmlMarkdown(html, "https://example.org/")).toEqual({ title: "A & B", text: "x\n" })
  })

  it.for(["<a href=/x>", "<pre>", "<table><tr><td>", "<ul><li>", "<main>", "<code>", "</a></td></pre></table></ul>"])(
    "is made of many unclosed or stray %s",
    (tag) => {
      expect(textOf(`${`${tag}x`.repeat(20_000)}end`)).toContain("end")
    },
  )
})
