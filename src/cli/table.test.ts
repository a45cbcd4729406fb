import { expect, it } from "vitest"
import { columns } from "./table.ts"

it("columns are as wide as their widest cell, and no line ends in spaces", () => {
  expect(
    columns([
      ["ID", "TITLE"],
      ["long id", ""],
      ["x", "y"],
    ]),
  ).toEqual(["ID       TITLE", "long id", "x        y"])
})

it("no rows are no lines", () => {
  expect(columns([])).toEqual([])
})
