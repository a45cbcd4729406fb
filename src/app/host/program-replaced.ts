// A host in a checkout loads parts of dist/ when they are needed, and `npm install` after a pull replaces all of them.
import { buildTime } from "../../program/program-files.ts"

const lookEveryMs = 1000

/** Resolves when another build has replaced the files of this process; never without a build. */
export function programReplaced(timeOfBuild: () => number | undefined = buildTime): Promise<"replaced"> {
  const begun = timeOfBuild()
  const { promise, resolve } = Promise.withResolvers<"replaced">()
  if (begun === undefined) return promise
  const timer = setInterval(() => {
    const now = timeOfBuild()
    if (now === undefined || now === begun) return // removed: there is nothing to start instead
    clearInterval(timer)
    resolve("replaced")
  }, lookEveryMs)
  timer.unref()
  return promise
}
