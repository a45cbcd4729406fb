import { clusterSettings } from "./cluster-settings.ts"
import { testSettings } from "./setting-tests.ts"

testSettings(clusterSettings)
