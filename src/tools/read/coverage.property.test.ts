// Consecutive reads show every character of a file, once: following the notices is enough to see all of it.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { workbenches, type Workbench } from "../fixtures/workbench.ts"

const cutNotice = / \[… \d+ more characters in this line; read on with offset (\d+) and column (\d+)\]$/
const moreNotice = /^\[More lines follow; read on with offset (\d+)\.\]$/

/** Reads as a model would that follows every notice. */
async function readAll(bench: Workbench, path: string, limit: number | undefined): Promise<string[]> {
  const lines: string[] = []
  let offset: number | undefined = 1
  while (offset !== undefined) {
    const shown = await outputLines(bench, { path, offset, ...(limit === undefined ? {} : { limit }) })
    offset = undefined
    for (const line of shown) {
      const next = moreNotice.exec(line)?.[1]
      if (next === undefined) lines.push(await wholeLine(bench, path, line))
      else offset = Number(next)
    }
  }
  return lines
}

async function wholeLine(bench: Workbench, path: string, shown: string): Promise<string> {
  let text = shown.slice(shown.indexOf("\t") + 1)
  for (let cut = cutNotice.exec(text); cut !== null; cut = cutNotice.exec(text)) {
    const [rest = ""] = await outputLines(bench, { path, offset: Number(cut[1]), column: Number(cut[2]), limit: 1 })
    text = text.slice(0, cut.index) + rest.slice(rest.indexOf("\t") + 1)
  }
  return text
}

async function outputLines(bench: Workbench, input: Record<string, string | number>): Promise<string[]> {
  const { outcome, output } = await bench.call("read", input)
  expect(outcome).toBe("done")
  expect(output.length).toBeLessThanOrEqual(limits.toolOutputForModel)
  return output.split("\n")
}

const line = fc.oneof(
  { weight: 12, arbitrary: fc.string({ unit: fc.constantFrom("a", " ", "\t", "ä", "€", "😀"), maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("x", "ab😀", "€"), fc.integer({ min: 600, max: 20_000 }))
      .map(([piece, times]) => piece.repeat(times)),
  },
)

describe("consecutive reads", () => {
  const openBench = workbenches()

  it("cover the file exactly, whatever the length of its lines", async () => {
    const bench = openBench()
    const file = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 40 }),
      repeat: fc.integer({ min: 1, max: 15 }),
      limit: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
      end: fc.constantFrom("\n", "\r\n"),
    })
    await fc.assert(
      fc.asyncProperty(file, async ({ lines, repeat, limit, end }) => {
        const all = Array.from({ length: repeat }, () => lines).flat()
        bench.put("file.txt", all.map((text) => text + end).join(""))
        expect(await readAll(bench, "file.txt", limit)).toEqual(all)
      }),
      { numRuns: 12 },
    )
  })
})
