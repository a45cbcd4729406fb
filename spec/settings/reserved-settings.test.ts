import { reservedSettings } from "./reserved-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(reservedSettings)
