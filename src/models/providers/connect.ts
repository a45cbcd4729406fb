// Connects to a provider. The adapters are loaded with the first connection: a session of the offline model needs none.
import type { Connection, ProviderClient } from "./connection.ts"

export async function connect(connection: Connection): Promise<ProviderClient> {
  const { adapters } = await import("./adapters.ts")
  return adapters[connection.provider.type](connection)
}
