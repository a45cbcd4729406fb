import { describe, expect, it } from "vitest"
import { withExtensionModels, type ModelListing } from "./listing.ts"

const demo: ModelListing = {
  provider: "offline",
  id: "demo",
  name: "Demo",
  contextWindow: 32_000,
  prices: { input: 0, output: 0 },
  isDefault: true,
}
const small = { name: "x:p:small", displayName: "Small", contextWindow: 9000 }

describe("the models of extensions", () => {
  it("are listed after the others, once each, by full name", () => {
    expect(
      withExtensionModels([demo], [small, { ...small }, { ...small, name: "x:p:other", contextWindow: null }]),
    ).toEqual([
      demo,
      { provider: "x:p", id: "x:p:small", name: "Small", contextWindow: 9000, prices: undefined, isDefault: false },
      expect.objectContaining({ id: "x:p:other", contextWindow: undefined }),
    ])
  })

  it("replace an unlisted default of the same name", () => {
    const unknown = { ...demo, provider: "x:p", id: "x:p:small", contextWindow: undefined, prices: undefined }
    const listed = withExtensionModels([unknown, { ...demo, isDefault: false }], [small])
    expect(listed).toMatchObject([
      { id: "demo", isDefault: false },
      { id: "x:p:small", contextWindow: 9000, isDefault: true },
    ])
  })
})
