import { expect, it } from "vitest"
import { commonSets } from "./document-sets.ts"

it.each([
  [undefined, undefined, undefined],
  [["a", "b"], undefined, ["a", "b"]],
  [undefined, ["a"], ["a"]],
  [["a", "b"], ["b", "c"], ["b"]],
  [["a"], ["b"], []],
  [[], ["b"], []],
])("the document sets %j and %j have %j in common", (one, other, common) =>
  expect(commonSets(one, other)).toEqual(common),
)
