// A vote without a decision, through the real program and a provider on loopback.
import { expect, it } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer } from "../provider-server/server.ts"
import { eventsOf } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

it("an undecided vote is reported as undecided, in the output and in the event", async (test) => {
  const place = newPlace(test)
  const replies = Array.from({ length: 50 }, (_, at): Reply => ({ blocks: [{ text: at % 2 === 0 ? "yes" : "no" }] }))
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  const gateway = { type: "openai-compatible", baseURL: `${server.url}/v1` }
  place.config({ model: "gateway/large", providers: { gateway } })
  const { stdout, stderr } = await place.run("run", "--plan", "--vote", "10", "is it safe?")
  expect(stdout).toMatch(/^(?:yes|no)\n$/)
  expect(stderr).toMatch(
    /The vote is undecided: after 50 answers the best two have \d+ and \d+ votes, and a lead of 10/,
  )
  const log = await place.log(await place.newest())
  const [response] = eventsOf(log, "response.ended")
  expect(response?.["votes"]).toMatchObject({ counted: 50, ahead: 10, undecided: { best: 25, next: 25 } })
})
