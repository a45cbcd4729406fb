import { describe, expect, it } from "vitest"
import { pageContentText } from "../html-markdown.ts"

const words = "Send it back within thirty days of the purchase, unused and in its packaging. "
const menu =
  '<ul><li><a href="/a">Shop</a></li><li><a href="/b">Help</a></li><li><a href="/c">Jobs</a></li><li><a href="/d">Press</a></li></ul>'

describe("the content of a page", () => {
  it.for([
    ["in main", `<nav>${menu}</nav><main><h1>Returns</h1><p>${words}</p></main><footer>Imprint</footer>`],
    ["in a part with the role", `<div>Our shop</div><div role="main"><h1>Returns</h1><p>${words}</p></div>`],
    [
      "in its article",
      `<div>Our shop</div><article><h1>Returns</h1><p>${words}</p></article><div class="x">Copyright</div>`,
    ],
    ["beside a menu without a name", `<div>${menu}</div><h1>Returns</h1><p>${words}</p>`],
    [
      "beside named parts",
      `<div class="breadcrumbs"><a href="/">Home</a> / Returns</div><h1>Returns</h1><p>${words}</p><div class="nav">${menu}</div>`,
    ],
    [
      "below a banner",
      `<header><p>Call us</p>${menu}</header><h1>Returns</h1><p>${words}</p><footer><p>Imprint</p></footer>`,
    ],
    ["beside an aside", `<aside><p>Newsletter</p></aside><h1>Returns</h1><p>${words}</p>`],
    [
      "behind a request for consent",
      `<div id="cookie-consent"><p>We use cookies. ${words}</p></div><main><h1>Returns</h1><p>${words}</p></main>`,
    ],
    ["with links to its headings", `<h1>Returns<a class="headerlink" href="#returns">¶</a></h1><p>${words}</p>`],
    [
      "with hidden parts",
      `<p style="opacity: 0">ignore this</p><p style="font-size:0px">and this</p><h1>Returns</h1><p>${words}</p>`,
    ],
  ])("is found: %s", ([, html = ""]) => {
    expect(pageContentText(html)).toBe(`# Returns\n\n${words.trim()}\n`)
  })

  it.for([
    ["nothing but navigation", `<nav>${menu}</nav>`, "Press"],
    ["a main part that is nearly empty", `<main><h1>A</h1></main><div>${words.repeat(3)}</div>`, words.trim()],
    ["several articles", `<article>${words}</article><article>Second one. ${words}</article>`, "Second one."],
    ["text about cookies", `<div class="cookie-policy"><p>How cookies are used. ${words}</p></div>`, "How cookies"],
    ["everything in a header", `<header><p>${words.repeat(3)}</p></header><p>x</p>`, words.trim()],
    ["a list of links", `<h1>Contents</h1><p>Parts:</p><div class="toc">${menu}${menu}</div>`, "Jobs"],
    [
      "a note in an article",
      `<article><h1>A</h1><p>${words}</p><aside>Not for food.</aside></article>`,
      "Not for food.",
    ],
    [
      "an intro in the header of an article",
      `<article><header><h1>A</h1><p>For all.</p></header><p>${words}</p></article>`,
      "For all.",
    ],
    [
      "links in its text",
      `<h1>A</h1><p>${words} <a href="/x">the form</a></p><ul><li><a href="/y">Form B</a></li></ul>`,
      "Form B",
    ],
  ])("is not lost: %s", ([, html = "", kept]) => {
    expect(pageContentText(html)).toContain(kept)
  })

  it.for(["<div>", "<ul><li><a href=/x>", "<nav>", "<article>", "<main>"])(
    "is found in linear time among many unclosed %s",
    (tag) => {
      expect(pageContentText(`${`${tag}x`.repeat(20_000)}end`)).toContain("end")
    },
  )
})

describe("the title of a page", () => {
  it.for([
    ["its heading, without the site", "<title>Returns | Example Shop</title><h1>Returns</h1><p>x</p>", "Returns"],
    ["that of its head", "<title>Returns</title><p>x</p>", "Returns"],
    ["that of its head, if it has chapters", "<title>Returns</title><h1>1. Terms</h1>x<h1>2. Costs</h1>y", "Returns"],
    [
      "its first heading, if that is in its head",
      "<title>Returns | Shop</title><h1>Returns</h1>x<h1>Costs</h1>",
      "Returns",
    ],
    ["its only heading", "<title>Shop</title><h1>Returns</h1>x<h2>Costs</h2>", "Returns"],
    ["that for sharing", '<title>Example Shop</title><meta property="og:title" content="Returns"><p>x</p>', "Returns"],
    [
      "that of its head, without the named site",
      '<title>Returns – Example Shop</title><meta property="og:site_name" content="Example Shop"><p>x</p>',
      "Returns",
    ],
    [
      "not the name of the site in its banner",
      "<title>Data Types - The Book</title><header><h1>The Book</h1></header><main><h2>Data Types</h2><p>x</p></main>",
      "Data Types",
    ],
    ["its heading if it has none", "<h1>Returns</h1><p>x</p>", "Returns"],
  ])("is %s", ([, html = "", title]) => {
    expect(/^#+ (.*)$/m.exec(pageContentText(html))?.[1]).toBe(title)
  })
})

describe("a table of a page", () => {
  it("has cells over several columns and rows", () => {
    const html = `<table><tr><th rowspan="2">Region</th><th colspan="2">Sales</th></tr><tr><td>2025</td><td>2026</td></tr>
      <tr><td>North</td><td>1</td><td>2</td></tr></table>`
    expect(pageContentText(html)).toBe(
      "| Region | Sales |  |\n| --- | --- | --- |\n| Region | 2025 | 2026 |\n| North | 1 | 2 |\n",
    )
  })

  it("repeats its header row in every block", () => {
    const rows = Array.from({ length: 60 }, (_, at) => `<tr><td>Item ${at}</td><td>${"y".repeat(50)}</td></tr>`)
    const blocks = pageContentText(`<table><tr><th>Item</th><th>Note</th></tr>${rows.join("")}</table>`)
      .trim()
      .split("\n\n")
    expect(blocks.length).toBeGreaterThan(3)
    for (const block of blocks) expect(block).toMatch(/^\| Item \| Note \|\n\| --- \| --- \|\n\| Item/)
  })

  it("that only places things is no table", () => {
    const html = `<table><tr><td>${menu}</td><td><h1>Returns</h1><p>${words}</p><p>More.</p></td></tr></table>`
    expect(pageContentText(html)).toContain(`# Returns\n\n${words.trim()}\n\nMore.`)
  })

  it("does not grow by the numbers it names", () => {
    const row = '<tr><td colspan="999999999" rowspan="999999999">x</td><td rowspan="1e9">y</td></tr>'
    expect(pageContentText(`<table>${row.repeat(50)}</table>`).length).toBeLessThan(200_000)
  })
})

it("addresses, images and marks of code are not part of the content", () => {
  const html = `<p>Run <code>npm test</code> as in <a href="/x">the guide</a> <img src="/i.png" alt="A chart"></p>`
  expect(pageContentText(html)).toBe("Run npm test as in the guide\n")
})
