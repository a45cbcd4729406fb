import { describe, expect, it } from "vitest"
import { emptySnapshot, ToldView } from "./fixtures/recorded-view.ts"

const hinting = { ...emptySnapshot, hintsReferences: true }

describe("what viewers hear of references", () => {
  it("is a toast for the first resolution of a turn, and the numbers when they change", () => {
    const told = new ToldView(hinting).prompted("Look at src/a.ts").ended().forget()
    told.prompted("Fix it. Open the file.")
    const status = { type: "seal_status", enabled: true, entity_count: 1, last_resolution: '"the file" → src/a.ts' }
    expect(told.heard).toContainEqual({ type: "toast", message: '"it" → src/a.ts', duration_ms: 1500 })
    expect(told.heard).toContainEqual({ ...status, quality_score: 1 })
    told.forget()
    const slipped = { promptId: "prm_s", text: "Open the file", delivery: "next-boundary" } as const
    told.event(
      { type: "prompt.admitted", ...slipped, by: { principal: "you", door: "test" } },
      { type: "prompt.promoted", promptId: "prm_s", turnId: "trn_2" },
    )
    expect(told.types).toEqual(["message_added", "status_update", "seal_status"])
    expect(told.view.seal).toMatchObject(status)
  })

  it("comes after the words it is about, and calls count too", () => {
    const told = new ToldView(hinting).prompted("Go on").forget().called("cal_1", "read", { path: "a.ts" })
    expect(told.heard.at(-1)).toMatchObject({ type: "seal_status", entity_count: 1, last_resolution: null })
    expect(told.forget().called("cal_2", "read", { path: "a.ts" }).types).not.toContain("seal_status")
  })

  it("is a share that every peer reads as the same number", () => {
    const told = new ToldView(hinting).prompted("Look at src/a.ts").ended()
    told.prompted("Open the file. Explain the function. Explain the class.").ended()
    expect(told.view.seal).toMatchObject({ quality_score: 0.33 })
  })

  it("is nothing where the model is told nothing", () => {
    const told = new ToldView().prompted("Look at src/a.ts").ended().prompted("Fix it")
    expect(told.types.filter((type) => type === "toast" || type === "seal_status")).toEqual([])
    expect(told.view.seal).toEqual({
      type: "seal_status",
      enabled: false,
      entity_count: 0,
      last_resolution: null,
      quality_score: 1,
    })
  })
})
