import { describe, expect, it } from "vitest"
import { csvText } from "./csv.ts"
import { BLOCK_LENGTH, tableText } from "./table-text.ts"

async function* pieces(text: string, size = 1000): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

async function csv(text: string, size?: number): Promise<string> {
  return (await Array.fromAsync(csvText(pieces(text, size)))).join("")
}

describe("separated values", () => {
  it.for([
    ["commas", "Item,Price\nTea,5\n"],
    ["semicolons, where a comma is part of a value", "Item;Price\nTea;5\n"],
    ["tabs", "Item\tPrice\r\nTea\t5\r\n"],
    ["empty lines", "\n\nItem,Price\n\n,\nTea,5"],
  ])("become a table: with %s", async ([, text = ""]) => {
    expect(await csv(text)).toBe("| Item | Price |\n| --- | --- |\n| Tea | 5 |\n\n")
  })

  it("have quoted values with separators, line ends and quotation marks, wherever a piece ends", async () => {
    const text = 'a,b\r\n"x, ""y""\nz",""\r\nplain "mark",2\r\n'
    for (const size of [1, 2, 3, 100])
      expect(await csv(text, size)).toBe('| a | b |\n| --- | --- |\n| x, "y" z |  |\n| plain "mark" | 2 |\n\n')
  })

  it("with a mark that is not closed are refused", async () => {
    await expect(csv('a,b\n"x,1\ny,2\n')).rejects.toThrow("a quotation mark is not closed")
    await expect(csv(`a,b\n"${"x".repeat(2_000_000)}`)).rejects.toThrow("it has a row of more than")
  })
})

describe("a table", () => {
  it("with a header too long to be repeated becomes a list for each row", () => {
    const header = Array.from({ length: 40 }, (_, at) => `A long column name ${at}`)
    const row = header.map((_, at) => (at < 2 ? `value ${at}` : ""))
    expect(tableText([header, row])).toBe("- A long column name 0: value 0\n- A long column name 1: value 1\n\n")
  })

  it("keeps a row longer than a block whole", () => {
    const long = "x".repeat(BLOCK_LENGTH * 2)
    const blocks = tableText([["a", "b"], ["1", "2"], [long, "3"], ["4"]])
      .trim()
      .split("\n\n")
    expect(blocks).toEqual([
      "| a | b |\n| --- | --- |\n| 1 | 2 |",
      `| a | b |\n| --- | --- |\n| ${long} | 3 |`,
      "| a | b |\n| --- | --- |\n| 4 |  |",
    ])
  })

  it("of only a header is not lost", () => {
    expect(tableText([["a", "b"]])).toBe("| a | b |\n| --- | --- |\n\n")
  })
})
