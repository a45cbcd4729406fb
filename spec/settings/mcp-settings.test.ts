import { mcpSettings } from "./mcp-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(mcpSettings)
