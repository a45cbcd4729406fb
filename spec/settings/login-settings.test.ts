import { loginSettings } from "./login-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(loginSettings)
