import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ask, hello, startServer, textOf } from "../../../../spec/provider-server/connect.ts"
import { ModelUnavailable } from "../../model-source.ts"
import type { Fetch } from "../../providers/provider.ts"
import { createModelSource } from "../../registry.ts"
import { awsSource } from "./aws-source.ts"
import { readAwsKeys } from "./read-keys.ts"

interface Files {
  readonly credentials?: string
  readonly config?: string
}

/** A home with these files. */
function homeWith({ credentials = "", config = "" }: Files): string {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-aws-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, ".aws", "sso", "cache"), { recursive: true })
  writeFileSync(join(home, ".aws", "credentials"), credentials)
  writeFileSync(join(home, ".aws", "config"), config)
  return home
}

const noFetch: Fetch = async () => Promise.reject(new Error("no request expected"))

function keysIn(files: Files, profile = "work", fetch = noFetch, home = homeWith(files)) {
  const source = awsSource({ HOME: home, AWS_PROFILE: profile })
  if (source === undefined) throw new Error("no profile")
  return readAwsKeys(source, fetch, () => {})
}

describe("an AWS profile", () => {
  it("signs requests to Bedrock with its keys, in its region, and is not the default by itself", async () => {
    const server = await startServer(hello)
    const home = homeWith({
      credentials:
        "[default]\naws_access_key_id = NOT\n\n[work]\naws_access_key_id=AKIAWORK\naws_secret_access_key = s3cr3t/x=\n",
      config: "[profile work]\nregion = eu-west-3\ns3 =\n  region = elsewhere\n",
    })
    const secrets: string[] = []
    const source = createModelSource({
      config: { providers: { "amazon-bedrock": { type: "amazon-bedrock", baseURL: server.url } } },
      env: { HOME: home, AWS_PROFILE: "work" },
      localServers: [],
      onSecret: (_, value) => secrets.push(value),
    })
    const choice = await source.resolve("amazon-bedrock/amazon.nova-pro-v1:0")
    expect(textOf(await ask({ ...choice, server }))).toBe("Hello from the other side.")
    expect(server.requests[0]?.headers["authorization"]).toMatch(/Credential=AKIAWORK\/\d+\/eu-west-3/)
    expect(secrets).toEqual(["s3cr3t/x="])
    expect(await source.defaultModel()).toBe("offline/demo")
  })

  it("may run a credential process", async () => {
    const printed =
      '{"Version":1,"AccessKeyId":"AKIAP","SecretAccessKey":"s","SessionToken":"t","Expiration":"2030-01-01T00:00:00Z"}'
    expect(await keysIn({ config: `[profile work]\ncredential_process = echo '${printed}'\n` })).toEqual({
      value: { accessKeyId: "AKIAP", secretAccessKey: "s", sessionToken: "t" },
      expiresAt: Date.parse("2030-01-01T00:00:00Z"),
    })
  })

  it("may use a single sign-on that is valid", async () => {
    const config =
      "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.example\n" +
      "[profile work]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Dev\n"
    const home = homeWith({ config })
    const file = join(home, ".aws", "sso", "cache", `${createHash("sha1").update("corp").digest("hex")}.json`)
    await expect(keysIn({}, "work", noFetch, home)).rejects.toThrow("Run 'aws sso login --profile work'.")
    writeFileSync(file, JSON.stringify({ accessToken: "token", expiresAt: "2999-01-01T00:00:00Z" }))
    const asked: string[] = []
    const fetch: Fetch = async (input, init) => {
      asked.push(
        String(input instanceof Request ? input.url : input),
        new Headers(init?.headers).get("x-amz-sso_bearer_token") ?? "",
      )
      return Response.json({
        roleCredentials: { accessKeyId: "A", secretAccessKey: "S", sessionToken: "T", expiration: 5 },
      })
    }
    expect(await keysIn({}, "work", fetch, home)).toEqual({
      value: { accessKeyId: "A", secretAccessKey: "S", sessionToken: "T" },
      expiresAt: 5,
    })
    expect(asked).toEqual([
      "https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?account_id=123&role_name=Dev",
      "token",
    ])
  })

  it.each([
    [{}, "There is no AWS profile work in"],
    [{ config: "[profile work]\nregion = eu-west-1\n" }, "AWS profile work has no keys in"],
    [{ config: "[profile work]\ncredential_process = echo no\n" }, "did not print AccessKeyId"],
    [{ config: "[profile work]\ncredential_process = exit 4\n" }, "failed (4)"],
  ])("that cannot be used says why: %j", async (files, message) => {
    const fault: unknown = await keysIn(files).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(ModelUnavailable)
    expect(String(fault)).toContain(message)
  })
})
