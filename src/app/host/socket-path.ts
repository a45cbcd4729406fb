// Where a host listens for other processes of the same user.
import { join } from "node:path"

export function socketPath(home: string, hostId: string): string {
  return join(home, "hosts", `${hostId}.sock`)
}
