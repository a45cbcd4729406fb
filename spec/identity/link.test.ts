// `turnhouse link` as a command: what it prints, and which options it refuses.
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

describe.concurrent("turnhouse link", () => {
  it("prints an address that signs one browser in", async (test) => {
    const place = newPlace(test)
    const { code, stdout, stderr } = await place.run("link")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8787\/#sign-in=[\w-]{24}\n$/)
    expect(stderr).toContain("once, within 5 minutes")
    expect(stderr).toContain("No server of this home runs")
    expect(JSON.parse((await place.run("link", "--json")).stdout)).toEqual({
      url: expect.stringContaining("#sign-in="),
      expiresAt: expect.any(String),
    })
    expect((await place.run("link", "--ls")).stdout).toBe("No valid links.\n")
  })

  it("prints an address with a key, also while the server does not run", async (test) => {
    const place = newPlace(test)
    const { code, stdout, stderr } = await place.run("link", "--role", "watch")
    expect(code).toBe(0)
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8787\/#key=lnk_[0-9a-f]{18}\.[\w-]+\.[\w-]+\n$/)
    expect(stderr).toMatch(/^watch, every session, until .*--revoke lnk_.*\n.*on this machine only/)
    place.config({
      server: {
        port: 9000,
        tls: { cert: "c.pem", key: "k.pem" },
        names: ["house.example"],
        host: "0.0.0.0",
        auth: { mode: "jwt", secret: "x".repeat(32) },
      },
    })
    expect((await place.run("link", "--for", "1d")).stdout).toMatch(/^https:\/\/house\.example:9000\/#key=/)
    expect((await place.run("link", "--url", "https://other.example/x?y=1")).stdout).toMatch(
      /^https:\/\/other\.example\/x\/#sign-in=/,
    )
  })

  it("is for one session, which may be named by a prefix of its id", async (test) => {
    const place = newPlace(test)
    const id = (await place.run("new")).stdout.trim()
    const made = JSON.parse((await place.run("link", "-s", id.slice(0, 13), "--role", "drive", "--json")).stdout)
    expect(made).toMatchObject({ role: "drive", sessionId: id })
    expect(Date.parse(made.expiresAt) - Date.parse(made.issuedAt)).toBe(3_600_000)
    expect(JSON.parse((await place.run("link", "--ls", "--json")).stdout)).toMatchObject([
      { id: made.id, sessionId: id },
    ])
    expect(await place.run("link", "--session", "ffffffff")).toMatchObject({ code: 2, stdout: "" })
  })

  it("refuses invalid options", async (test) => {
    const place = newPlace(test)
    for (const args of [
      ["--role", "admin"],
      ["--for", "0"],
      ["--for", "400d"],
      ["--for", "soon"],
      ["--url", "javascript:alert(1)"],
      ["--ls", "--revoke", "lnk_1234"],
      ["--ls", "--role", "watch"],
    ])
      expect(await place.run("link", ...args)).toMatchObject({ code: 2, stdout: "" })
    expect(await place.run("link", "--revoke", "lnk_1234")).toMatchObject({ code: 1, stdout: "" })
    expect((await place.run("link", "--ls")).stdout).toBe("No valid links.\n")
  })
})
