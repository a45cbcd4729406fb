import { socketSettings } from "./socket-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(socketSettings)
