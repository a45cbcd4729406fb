import { serverSettings } from "./server-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(serverSettings)
