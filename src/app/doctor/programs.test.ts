import { expect, it } from "vitest"
import { sandboxFinding } from "./programs.ts"

const why = "bubblewrap (bwrap) is not installed"

it("a sandbox that works is in order", () => {
  expect(sandboxFinding("auto", undefined).level).toBe("ok")
  expect(sandboxFinding("require", undefined).level).toBe("ok")
})

it("one that does not is a warning that names the risk, and a problem where it is required", () => {
  expect(sandboxFinding("auto", why)).toMatchObject({
    level: "warning",
    what: expect.stringContaining("approve calls for it"),
  })
  expect(sandboxFinding("require", why)).toMatchObject({ level: "problem", what: expect.stringContaining(why) })
})

it("one that is turned off is a warning, whether it would work or not", () => {
  expect(sandboxFinding("off", undefined).level).toBe("warning")
  expect(sandboxFinding("off", why).level).toBe("warning")
})
