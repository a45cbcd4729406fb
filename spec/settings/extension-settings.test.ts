import { extensionSettings } from "./extension-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(extensionSettings)
