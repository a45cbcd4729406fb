import { expect, it } from "vitest"
import type { ModelSource } from "../models/model-source.ts"
import { history, newSession, testHost, turn } from "../testing/test-host.ts"
import { scriptedSource } from "../testing/index.ts"

/** The same models behind a gateway that says what it charges. */
function behindGateway(source: ModelSource, headers: Record<string, string>): ModelSource {
  return {
    resolve: async (name) => {
      const choice = await source.resolve(name)
      const { specificationVersion, provider, modelId, supportedUrls } = choice.model
      const model: typeof choice.model = {
        specificationVersion,
        provider,
        modelId,
        supportedUrls,
        doGenerate: (options) => choice.model.doGenerate(options),
        doStream: async (options) => ({ ...(await choice.model.doStream(options)), response: { headers } }),
      }
      return { ...choice, model }
    },
  }
}

it("the charge of a gateway is the cost of the answer", async () => {
  const source = behindGateway(scriptedSource([[{ text: "Here." }]]), { "x-litellm-response-cost": "0.25" })
  const { host, log } = await testHost(source)
  const session = await newSession(host)
  await turn(session, "hi")
  const ended = (await history(log, session.id)).find(({ type }) => type === "response.ended")
  expect(ended).toMatchObject({ costUsd: 0.25 })
  expect(session.state.spent.usd).toBe(0.25)
})
