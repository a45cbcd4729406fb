import { codeSettings } from "./code-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(codeSettings)
