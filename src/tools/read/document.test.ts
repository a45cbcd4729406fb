import { describe, expect, it } from "vitest"
import { pdfFile } from "../../knowledge/fixtures/made-files.ts"
import { workbenches } from "../fixtures/workbench.ts"

describe("a PDF file", () => {
  const openBench = workbenches()

  it("is read as text with page headings, and from a page", async () => {
    const bench = openBench()
    bench.put("a.pdf", pdfFile("First page.", "Second page."))
    expect((await bench.call("read", { path: "a.pdf" })).output).toBe(
      [
        "     1\t--- Page 1 of 2 ---",
        "     2\tFirst page.",
        "     3\t--- Page 2 of 2 ---",
        "     4\tSecond page.",
        "[This is the text of the PDF file; it has 2 pages.]",
      ].join("\n"),
    )
    expect((await bench.call("read", { path: "a.pdf", page: 2 })).output).toMatch(/^ {5}3\t--- Page 2 of 2 ---\n/)
    expect((await bench.call("read", { path: "a.pdf", page: 3 })).output).toBe(
      "a.pdf has no page 3. This is the text of the PDF file; it has 2 pages.",
    )
  })

  it("that is damaged fails with the reason", async () => {
    const bench = openBench()
    bench.put("a.pdf", "%PDF-1.4\n%%EOF")
    const { outcome, output } = await bench.call("read", { path: "a.pdf" })
    expect(outcome).toBe("failed")
    expect(output).toMatch(/^a\.pdf cannot be read as a PDF file: ./)
  })

  it("has pages, other files do not", async () => {
    const bench = openBench()
    bench.put("a.txt", "text")
    expect((await bench.call("read", { path: "a.txt", page: 1 })).output).toBe("a.txt has no pages; use offset.")
  })
})

describe("a notebook", () => {
  const openBench = workbenches()

  it("is read as numbered cells with their outputs", async () => {
    const bench = openBench()
    const image = { output_type: "display_data", data: { "image/png": "aGk=", "text/plain": ["<Figure>"] } }
    const cells = [
      { cell_type: "markdown", source: ["# Title\n", "Text"] },
      {
        cell_type: "code",
        source: "print(1)",
        outputs: [{ output_type: "stream", text: ["1\n"] }, image, { output_type: "error", ename: "E", evalue: "no" }],
      },
      { cell_type: "code", source: "x", outputs: [{ output_type: "stream", text: "y".repeat(5000) }] },
    ]
    bench.put("a.ipynb", JSON.stringify({ cells, nbformat: 4 }))
    const { output } = await bench.call("read", { path: "a.ipynb" })
    expect(output.replaceAll(/^ *\d+\t/gm, "")).toBe(
      [
        "--- Cell 1 (markdown) ---",
        "# Title",
        "Text",
        "--- Cell 2 (code) ---",
        "print(1)",
        "--- Output of cell 2 ---",
        "1",
        "",
        "<Figure>",
        "[image/png, not shown]",
        "E: no",
        "--- Cell 3 (code) ---",
        "x",
        "--- Output of cell 3 ---",
        `${"y".repeat(2000)} [… 2000 more characters in this line; read on with offset 15 and column 2001]`,
        "[… 1000 more characters of output]",
        "[This is the text of the notebook; edit changes the JSON of the file.]",
      ].join("\n"),
    )
  })

  it("that is not JSON is read as text", async () => {
    const bench = openBench()
    bench.put("a.ipynb", "not JSON\n")
    expect((await bench.call("read", { path: "a.ipynb" })).output).toBe("     1\tnot JSON")
  })
})
