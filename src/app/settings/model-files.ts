// The models of a home: the user's prices, what was fetched about models, and the stored logins.
import { join } from "node:path"
import { homeLogins, type LoginSource } from "../../models/logins/home-logins.ts"
import { LoginFault, type Logins } from "../../models/logins/login-store.ts"
import { AppFault } from "../app-fault.ts"

export function modelFiles(home: string) {
  return { pricesFile: join(home, "prices.json"), catalogueFolder: join(home, "model-catalogue") }
}

/** Throws an AppFault if the file of the logins is damaged. */
export function loginsOf(home: string): LoginSource {
  const logins = homeLogins(home)
  return { ...logins, stored: () => readable(logins.stored) }
}

function readable(read: () => Logins): Logins {
  try {
    return read()
  } catch (fault) {
    throw fault instanceof LoginFault ? new AppFault(fault.message) : fault
  }
}

/** What a source of models needs of a home. */
export function modelsOfHome(home: string) {
  return { ...modelFiles(home), logins: loginsOf(home) }
}
