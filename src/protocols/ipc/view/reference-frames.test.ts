import { describe, expect, it } from "vitest"
import { emptySnapshot, ViewRecorder } from "./fixtures/view-recorder.ts"

const hinting = { ...emptySnapshot, hintsReferences: true }

describe("reference frames", () => {
  it("are a toast for the first resolution of a turn, and the numbers when they change", () => {
    const recorder = new ViewRecorder(hinting).prompted("Look at src/a.ts").ended().reset()
    recorder.prompted("Fix it. Open the file.")
    const status = { type: "seal_status", enabled: true, entity_count: 1, last_resolution: '"the file" → src/a.ts' }
    expect(recorder.sent).toContainEqual({ type: "toast", message: '"it" → src/a.ts', duration_ms: 1500 })
    expect(recorder.sent).toContainEqual({ ...status, quality_score: 1 })
    recorder.reset()
    const slipped = { promptId: "prm_s", text: "Open the file", delivery: "next-boundary" } as const
    recorder.event(
      { type: "prompt.admitted", ...slipped, by: { principal: "you", door: "test" } },
      { type: "prompt.promoted", promptId: "prm_s", turnId: "trn_2" },
    )
    expect(recorder.types).toEqual(["message_added", "status_update", "seal_status"])
    expect(recorder.view.referenceStatus).toMatchObject(status)
  })

  it("follow the frames of their event; tool calls count too", () => {
    const recorder = new ViewRecorder(hinting).prompted("Go on").reset().called("cal_1", "read", { path: "a.ts" })
    expect(recorder.sent.at(-1)).toMatchObject({ type: "seal_status", entity_count: 1, last_resolution: null })
    expect(recorder.reset().called("cal_2", "read", { path: "a.ts" }).types).not.toContain("seal_status")
  })

  it("round the score so that every peer reads the same number", () => {
    const recorder = new ViewRecorder(hinting).prompted("Look at src/a.ts").ended()
    recorder.prompted("Open the file. Explain the function. Explain the class.").ended()
    expect(recorder.view.referenceStatus).toMatchObject({ quality_score: 0.33 })
  })

  it("are not sent when the model gets no reference hints", () => {
    const recorder = new ViewRecorder().prompted("Look at src/a.ts").ended().prompted("Fix it")
    expect(recorder.types.filter((type) => type === "toast" || type === "seal_status")).toEqual([])
    expect(recorder.view.referenceStatus).toEqual({
      type: "seal_status",
      enabled: false,
      entity_count: 0,
      last_resolution: null,
      quality_score: 1,
    })
  })
})
