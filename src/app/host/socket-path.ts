// Path of the control socket of a host.
import { join } from "node:path"

export function socketPath(home: string, hostId: string): string {
  return join(home, "hosts", `${hostId}.sock`)
}
