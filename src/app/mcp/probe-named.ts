// Tests a server of the settings, started as a session in this folder would start it. Its processes end with the test.
import { thisHost } from "../../log/process-identity.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { AppContext } from "../context.ts"
import { ServerLauncher } from "../settings/server-launcher.ts"
import { toolEnvironment } from "../settings/session-settings.ts"
import { serverNamed } from "./list.ts"
import { probeServer, type Probe } from "./probe.ts"

export async function probeNamed(name: string, context: AppContext, signal: AbortSignal): Promise<Probe> {
  const { home, cwd, config, ownPlaces } = context
  const server = await serverNamed(name, context)
  const processes = new ProcessSupervisor(thisHost("mcp-test").hostId, home)
  const env = () => toolEnvironment(process.env, config)
  try {
    const launch = await new ServerLauncher(home, processes).prepare({
      config,
      ownPlaces,
      settingsFolder: cwd,
      cwd,
      env,
    })
    return await probeServer(server, launch, signal)
  } finally {
    await processes.close()
  }
}
