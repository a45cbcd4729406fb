// A place whose model is a provider on loopback, and files for it.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TestContext } from "vitest"
import type { Reply } from "../provider-server/script.ts"
import { startProviderServer } from "../provider-server/server.ts"
import type { Json } from "./printed.ts"
import { newPlace } from "./turnhouse.ts"

export async function claudePlace(test: TestContext, replies: readonly Reply[], settings: Json = {}) {
  const place = newPlace(test)
  const server = await startProviderServer({ replies })
  test.onTestFinished(() => server.close())
  place.config({
    ...settings,
    model: "claude/claude-sonnet-5",
    providers: { claude: { type: "anthropic", baseURL: `${server.url}/v1`, apiKey: "key-of-the-test-1234" } },
  })
  return { place, server }
}

/** By path; what is not text is written as JSON. Returns the folder. */
export function put(folder: string, files: Readonly<Record<string, unknown>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  return folder
}
