// Where the home has facts about models: the user's prices, and what was fetched.
import { join } from "node:path"

export function modelFiles(home: string) {
  return { pricesFile: join(home, "prices.json"), catalogueFolder: join(home, "model-catalogue") }
}
