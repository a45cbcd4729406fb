import { expect, it } from "vitest"
import { configKeys } from "../../src/testing/config-keys.ts"
import { agentSettings } from "./agent-settings.ts"
import { clusterSettings } from "./cluster-settings.ts"
import { codeSettings } from "./code-settings.ts"
import { extensionSettings } from "./extension-settings.ts"
import { loginSettings } from "./login-settings.ts"
import { mcpSettings } from "./mcp-settings.ts"
import { reservedSettings } from "./reserved-settings.ts"
import { serverSettings } from "./server-settings.ts"
import { sessionSettings } from "./session-settings.ts"
import { socketSettings } from "./socket-settings.ts"
import { webSettings } from "./web-settings.ts"

const tested = [
  agentSettings,
  clusterSettings,
  codeSettings,
  extensionSettings,
  loginSettings,
  mcpSettings,
  reservedSettings,
  serverSettings,
  sessionSettings,
  socketSettings,
  webSettings,
].flatMap((tests) => Object.keys(tests))

/** Documented as having no effect: editors read it. */
const withoutEffect = "$schema"

it("every key of the configuration has a test that changes it and observes different behaviour", () => {
  expect([...tested, withoutEffect].toSorted()).toEqual(configKeys().toSorted())
})
