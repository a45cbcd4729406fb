import { expect, it } from "vitest"
import { networkFinding, sandboxFinding } from "./programs.ts"

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

it("reports which network commands have, and as an error that it cannot be limited", () => {
  expect(networkFinding("none", undefined)).toMatchObject({ level: "ok", what: expect.stringContaining("no network") })
  expect(networkFinding({ allow: ["a.com"] }, undefined).what).toContain("1 listed host (")
  expect(networkFinding({ allow: ["a.com", "b.com"] }, undefined).what).toContain("2 listed hosts (")
  expect(networkFinding("none", reason)).toMatchObject({ level: "problem", what: expect.stringContaining(reason) })
})
