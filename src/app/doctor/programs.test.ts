import { expect, it } from "vitest"
import { sandboxFinding } from "./programs.ts"

const reason = "bubblewrap (bwrap) is not installed"

it("reports a working sandbox as ok", () => {
  expect(sandboxFinding("auto", undefined).level).toBe("ok")
  expect(sandboxFinding("require", undefined).level).toBe("ok")
})

it("reports a sandbox that fails as a warning with the risk, and as an error if it is required", () => {
  expect(sandboxFinding("auto", reason)).toMatchObject({
    level: "warning",
    what: expect.stringContaining("approve calls for it"),
  })
  expect(sandboxFinding("require", reason)).toMatchObject({ level: "problem", what: expect.stringContaining(reason) })
})

it("warns about a sandbox that is turned off, even if it would work", () => {
  expect(sandboxFinding("off", undefined).level).toBe("warning")
  expect(sandboxFinding("off", reason).level).toBe("warning")
})
