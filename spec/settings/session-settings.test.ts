import { sessionSettings } from "./session-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(sessionSettings)
