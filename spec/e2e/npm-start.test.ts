// `npm start` on the first day: one address that signs the browser in, and a server of the demo shop.
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { needBuild } from "../built.ts"
import { Place } from "./place.ts"

const script = fileURLToPath(new URL("../../scripts/start.sh", import.meta.url))

describe("npm start", () => {
  it("prints one address that signs a browser in, and nothing more while pages are read", async ({
    onTestFinished,
  }) => {
    needBuild()
    const place = new Place().open({ bare: true })
    onTestFinished(() => place.close())
    const running = place.startOther(script, ["--port", "0"])
    const address = await running.until("an address", () => /^open (http\S+)$/m.exec(running.stdout)?.[1])
    const { origin, hash } = new URL(address)
    const statuses = ["/", "/demo/", "/docs/"].map(async (path) => (await fetch(`${origin}${path}`)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 200])
    const headers = { origin, "content-type": "application/json" }
    const signIn = { method: "POST", headers, body: JSON.stringify({ code: hash.replace("#sign-in=", "") }) }
    const first = await fetch(`${origin}/sign-in`, signIn)
    expect(running.stderr).toBe("")
    expect(running.stdout.match(/sign-in=/g)).toHaveLength(1)
    const second = await fetch(`${origin}/sign-in`, signIn)
    expect([first.status, second.status]).toEqual([204, 410])
  })
})
