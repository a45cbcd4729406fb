// A home of its own for a measurement, with its configuration. Its processes are ended and it is removed at the end.
import { Place } from "../spec/e2e/place.ts"
import { endHosts } from "../spec/e2e/hosts.ts"

export async function withPlace<Result>(
  config: Parameters<Place["config"]>[0],
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const place = new Place().open()
  place.config(config)
  try {
    return await work(place)
  } finally {
    await endHosts(place.home)
    await place.close()
  }
}
