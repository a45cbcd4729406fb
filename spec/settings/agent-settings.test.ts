import { agentSettings } from "./agent-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(agentSettings)
