// A random walk: rounds of ordinary use, each followed by a failure. The same seed gives the same walk; the timing of
// the processes differs.
import { setTimeout as sleep } from "node:timers/promises"
import { array, constant, constantFrom, integer, nat, oneof, record, sample, tuple, type Arbitrary } from "fast-check"
import type { Moment, World } from "./world.ts"

export type Action =
  | { readonly do: "create"; readonly client: number }
  | { readonly do: "prompt"; readonly session: number; readonly client: number; readonly times: number }
  | { readonly do: "watch"; readonly session: number; readonly client: number; readonly cursor: number }
  | { readonly do: "interrupt"; readonly session: number; readonly client: number }
  | { readonly do: "answer"; readonly session: number; readonly client: number }
  | { readonly do: "leave"; readonly client: number }
  | { readonly do: "run"; readonly session: number }
  | { readonly do: "pause"; readonly ms: number }
  | { readonly do: "await"; readonly moment: Moment }
  | { readonly do: "kill" | "drain" | "replace" | "freeze" | "kill run" }

const rounds = 5

export function actionsOf(seed: number): readonly Action[] {
  const [walk] = sample(array(round, { minLength: rounds, maxLength: rounds }), { seed, numRuns: 1 })
  return [...beginning, ...(walk ?? []).flat()]
}

/** Enough to do for a while. */
const beginning = [0, 1, 2].flatMap((session): readonly Action[] => [
  { do: "create", client: session },
  { do: "prompt", session, client: session, times: 1 },
  { do: "prompt", session, client: session + 1, times: 2 },
])

const session = nat(9)
const client = nat(9)

function named<Name extends Action["do"]>(name: Name): Arbitrary<Name> {
  return constant(name)
}

const use: Arbitrary<Action> = oneof(
  { weight: 1, arbitrary: record({ do: named("create"), client }) },
  { weight: 6, arbitrary: record({ do: named("prompt"), session, client, times: integer({ min: 1, max: 2 }) }) },
  { weight: 3, arbitrary: record({ do: named("watch"), session, client, cursor: nat(99) }) },
  { weight: 1, arbitrary: record({ do: named("interrupt"), session, client }) },
  { weight: 3, arbitrary: record({ do: named("answer"), session, client }) },
  { weight: 1, arbitrary: record({ do: named("leave"), client }) },
  { weight: 1, arbitrary: record({ do: named("run"), session }) },
  { weight: 4, arbitrary: record({ do: named("pause"), ms: nat(700) }) },
)

/** Most trouble comes in the middle of something. */
const waiting: Arbitrary<Action> = record({
  do: named("await"),
  moment: constantFrom("any", "speaking", "noting", "noting", "started"),
})

const trouble: Arbitrary<Action> = oneof(
  { weight: 4, arbitrary: record({ do: named("kill") }) },
  { weight: 2, arbitrary: record({ do: named("drain") }) },
  { weight: 2, arbitrary: record({ do: named("replace") }) },
  { weight: 2, arbitrary: record({ do: named("freeze") }) },
  { weight: 1, arbitrary: record({ do: named("kill run") }) },
)

const round = tuple(array(use, { minLength: 3, maxLength: 7 }), waiting, trouble).map(
  ([deeds, ...end]): readonly Action[] => [...deeds, ...end],
)

export async function perform(world: World, deed: Action): Promise<void> {
  switch (deed.do) {
    case "create":
      return world.create(deed.client)
    case "prompt":
      return world.prompt(deed.session, deed.client, deed.times)
    case "watch":
      return world.watch(deed.session, deed.client, deed.cursor)
    case "interrupt":
      return world.interrupt(deed.session, deed.client)
    case "answer":
      return world.answer(deed.session, deed.client)
    case "leave":
      return world.leave(deed.client)
    case "run":
      return world.run(deed.session)
    case "pause":
      return sleep(deed.ms)
    case "await":
      return world.moment(deed.moment)
    case "kill":
      return world.signalHost("SIGKILL")
    case "drain":
      return world.signalHost("SIGTERM")
    case "replace":
      return world.replaceHost()
    case "freeze":
      return world.freezeHost()
    case "kill run":
      return world.killRun()
  }
}
