import { webSettings } from "./web-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(webSettings)
