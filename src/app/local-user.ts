// Name of the user who runs this program.
import { userInfo } from "node:os"
import { AppFault } from "./app-fault.ts"

export function localUser(): string {
  try {
    return userInfo().username
  } catch {
    throw new AppFault(
      `user id ${process.getuid?.() ?? "?"} has no entry in the user database. Add one, or run as another user.`,
    )
  }
}
