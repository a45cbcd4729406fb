// Shell scripts whose processes are hard to end. Each gets the path of a program that sleeps in `$nap`; by that path the
// proof finds its processes, whatever they do to themselves.

export interface Behaviour {
  readonly name: string
  readonly script: string
  /** Processes of `$nap` that run when the script is at work. */
  readonly naps: number
  /** Keeps nothing by which it could be found: it escapes where commands have no sandbox. */
  readonly escapes: boolean
}

const behaviour = (name: string, naps: number, script: string, escapes = false): Behaviour => ({
  name,
  naps,
  script,
  escapes,
})

export const behaviours: readonly Behaviour[] = [
  behaviour("forks", 3, `"$nap" 300 & "$nap" 300 & "$nap" 300 & wait`),
  behaviour("forks twice, into new sessions", 2, `setsid sh -c 'setsid "$0" 300 & exec "$0" 300' "$nap" & wait`),
  behaviour("leaves a daemon, and ends", 1, `(setsid sh -c '"$0" 300 & exit' "$nap" &)`),
  behaviour("ignores signals", 1, `trap '' TERM HUP INT QUIT; "$nap" 300; "$nap" 300; "$nap" 300`),
  behaviour("ignores signals in a new session", 1, `trap '' TERM HUP INT QUIT; setsid "$nap" 300 & wait`),
  behaviour("closes its pipes", 1, `exec <&- >&- 2>&-; "$nap" 300`),
  // Again and again: the first time it may be suspended before it is a process of "$nap".
  behaviour("is suspended", 1, `"$nap" 300 & while :; do kill -CONT $!; "$nap" 0.1; kill -STOP $!; "$nap" 1; done`),
  behaviour(
    "starts new sessions all the time",
    1,
    `trap '' TERM HUP INT QUIT; while :; do setsid "$nap" 2 & "$nap" 0.2; done`,
  ),
  behaviour("clears its environment", 1, `env -i "$nap" 300 & wait`),
  behaviour("clears it and ignores signals", 1, `trap '' TERM HUP INT QUIT; env -i "$nap" 300 & wait`),
  behaviour("clears it, in a new session", 1, `env -i setsid "$nap" 300 & wait`, true),
]
