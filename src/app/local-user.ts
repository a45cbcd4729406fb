// Who runs this program, by the system's own list of users.
import { userInfo } from "node:os"
import { AppFault } from "./app-fault.ts"
import { exitCodes } from "./exit-codes.ts"

export function localUser(): string {
  try {
    return userInfo().username
  } catch {
    throw new AppFault("This user has no name in the system's user list.", exitCodes.failed)
  }
}
