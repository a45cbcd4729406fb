// Pages from the web in the real program: the approval by host, and flags in a script.
import { describe, expect, it } from "vitest"
import { webServer } from "../../src/tools/web/fixtures/web-server.ts"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

const html = `<title>Guide</title><h1>Install</h1><p>Run <code>npm i</code>, see <a href="/more">more</a>.</p>`

/** Serves a guide, whose second page is more text. */
function guide() {
  return webServer((request, response) => {
    response.setHeader("content-type", "text/html").end(request.url === "/" ? html : "<p>More text.</p>")
  })
}

describe("web_fetch", () => {
  it("asks once for a host; a permission for the session covers its other pages, also after untrusted text", async (test) => {
    const place = newPlace(test)
    const { port, requests } = await guide()
    place.config({ web: { allowPrivate: ["localhost"] } })
    const page = (path: string) => ({ url: `http://localhost:${port}${path}`, prompt: "What does it say?" })
    const model = place.script([
      [{ call: { tool: "WebFetch", input: page("/") } }],
      [
        { expect: { toolResult: `see [more](http://localhost:${port}/more)` } },
        { call: { tool: "WebFetch", input: page("/more") } },
      ],
      [{ expect: { toolResult: "More text." } }, { text: "I have read both." }],
    ])
    const running = place.start(["run", "go", "--wait", "1h", "--json", "--model", model])
    const { approvalId, reason } = await running.event("approval.requested")
    expect(reason).toBe("web_fetch would send a request to localhost.")
    expect(requests).toEqual([])
    expect(await place.run("approve", approvalId, "--for", "session")).toMatchObject({ code: 0 })
    expect((await running.ended).code).toBe(0)
    expect(requests).toEqual(["GET /", "GET /more"])
    const log = await place.log(await place.newest())
    expect(eventsOf(log, "approval.requested")).toHaveLength(1)
    expect(eventsOf(log, "policy.granted")).toMatchObject([{ tool: "web_fetch", pattern: "localhost" }])
    expect(eventsOf(log, "tool.ended")).toMatchObject([
      { outcome: "done", untrustedSource: `web page http://localhost:${port}/` },
      { outcome: "done" },
    ])
  })

  it("needs --yes in a script, and --allow-untrusted for what follows a page", async (test) => {
    const place = newPlace(test)
    const { port, requests } = await guide()
    place.config({ web: { allowPrivate: ["localhost"] } })
    const fetching = [{ call: { tool: "web_fetch", input: { url: `http://localhost:${port}/` } } }]
    const refused = await place.run("run", "go", "--model", place.script([fetching, [{ text: "No page." }]]))
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("request to localhost. To allow it in a script, add --yes"),
    })
    expect(requests).toEqual([])
    const model = place.script([
      fetching,
      [{ expect: { toolResult: "Run `npm i`" } }, { call: { tool: "bash", input: { command: "touch made" } } }],
      [{ text: "Done." }],
    ])
    const stopped = await place.run("run", "go", "--yes", "--model", model)
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining("add --allow-untrusted") })
    expect(stopped.stderr).toContain(`Untrusted text (web page http://localhost:${port}/)`)
  })
})
