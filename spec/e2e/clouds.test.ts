// The real program with models of clouds, against servers on loopback.
import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:http"
import { describe, expect, it, type TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer } from "../provider-server/server.ts"
import { newPlace } from "./turnhouse.ts"

async function providerWith(test: TestContext, ...replies: readonly Reply[]) {
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  return server
}

/** Answers every request with this text. */
async function answering(test: TestContext, text: string): Promise<string> {
  const server = createServer((_request, response) => void response.end(text))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return `http://127.0.0.1:${address.port}`
}

const token = "ya29.planted-8fQ2xV7bLm4KzT8wRc"

describe.concurrent("run", () => {
  it("asks Claude on Vertex with a token of a service account, which is shown nowhere", async (test) => {
    const place = newPlace(test)
    const models = await providerWith(test, { blocks: [{ text: `I saw ${token}.` }] })
    const url = await answering(test, JSON.stringify({ access_token: token, expires_in: 3600 }))
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const account = {
      type: "service_account",
      project_id: "shop",
      client_email: "robot@shop.example",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      token_uri: url,
    }
    const file = place.write("account.json", JSON.stringify(account))
    place.config({ model: "vertex/claude-sonnet-5", providers: { vertex: { type: "vertex", baseURL: models.url } } })
    const env = { GOOGLE_APPLICATION_CREDENTIALS: file, CLOUD_ML_REGION: "us-east5" }
    const ended = await place.start(["run", "hi"], { env }).ended
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toMatch(/^I saw ‹redacted:Google_access_token:[0-9a-f]{4}›\.\n$/)
    const { path, headers } = await models.arrived(1)
    expect(path).toBe(
      "/v1/projects/shop/locations/us-east5/publishers/anthropic/models/claude-sonnet-5:streamRawPredict",
    )
    expect(headers["authorization"]).toBe(`Bearer ${token}`)
  })

  it("asks Bedrock with the keys of a role, and says what is wrong with a profile", async (test) => {
    const place = newPlace(test)
    const models = await providerWith(test, { blocks: [{ text: "Hello." }] })
    const keys = "<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>planted-secret-key</SecretAccessKey>"
    const sts = await answering(test, `<R>${keys}<SessionToken>planted-token</SessionToken></R>`)
    const files = {
      AWS_SHARED_CREDENTIALS_FILE: place.write("credentials", "[base]\naws_access_key_id=A\naws_secret_access_key=S\n"),
      AWS_CONFIG_FILE: place.write(
        "config",
        "[profile work]\nrole_arn=arn:aws:iam::1:role/Dev\nsource_profile=base\nregion=eu-west-1\n[profile loop]\nrole_arn=r\nsource_profile=pool\n[profile pool]\nrole_arn=r\nsource_profile=loop\n",
      ),
    }
    place.config({
      providers: { "amazon-bedrock": { type: "amazon-bedrock", baseURL: models.url, region: "eu-west-1" } },
    })
    const run = (AWS_PROFILE: string) =>
      place.start(["run", "hi", "--model", "amazon-bedrock/amazon.nova-pro-v1:0"], {
        env: { ...files, AWS_PROFILE, AWS_ENDPOINT_URL_STS: sts },
      }).ended
    expect(await run("work")).toMatchObject({ code: 0, stdout: "Hello.\n" })
    expect((await models.arrived(1)).headers["authorization"]).toContain("Credential=ASIAROLE/")
    const looped = await run("loop")
    expect(looped.code).toBe(1)
    expect(looped.stderr).toContain("AWS profile loop: source_profile leads in a circle (loop, pool, loop).")
  })
})
