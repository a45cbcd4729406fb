// Who somebody is, apart from what they may do: only the first is ever stored or shown.
import type { By, Who } from "./values.ts"

export function byOf({ principal, door }: Who): By {
  return { principal, door }
}
