// Commands of other viewers that Turnhouse cannot carry out. They are in the table, so that the answer says why instead
// of suggesting a typing mistake, and not in the help.
import type { SlashCall, SlashCommand, SlashStep } from "../command.ts"
import { failed } from "../steps.ts"

/** With what to do instead. */
const needTerminal: Readonly<Record<string, string>> = {
  shell: "a shell",
  shells: "shells",
  hotkeys: "keys belong to the viewer",
  keys: "keys belong to the viewer",
  switch: "open the socket of the other agent; /agents lists them",
  resume: "open the socket of that session; 'turnhouse attach ID' shows it",
}

const notInThisRelease: Readonly<Record<string, string>> = {
  "Adding files to the context": "context:add context:remove context:pin context:unpin context:clear",
  "A store of plans":
    "plans plan:show plan:delete plan:activate plan:resume plan:deactivate plan:current plan:pause plan:execute plan:search plan:branch plan:merge plan:tree",
  "A store of templates": "templates template:save template:show template:use template:delete",
  "Learned knowledge":
    "learn knowledge knowledge:list knowledge:search knowledge:sync knowledge:contradict knowledge:delete remember",
  "A user profile":
    "profile profile:set profile:name profile:list profile:search profile:delete profile:sync profile:export profile:import profile:stats",
  "A store of skills": "skill:show skill:reload skill:create",
  Dreaming: "dream dream:status dream:run",
}

export const unavailableCommands: readonly SlashCommand[] = [
  command("exec", ({ options: { place } }) =>
    failed(place === undefined ? "ExecCommand is blocked for remote execution" : `Not available ${place}: a shell`),
  ),
  command("approvals", () =>
    failed("The configuration of the session decides what needs approval; /approvals:list shows pending ones"),
  ),
  ...Object.entries(needTerminal).map(([name, reason]) =>
    command(name, ({ options: { place = "over IPC" } }) => failed(`Not available ${place}: ${reason}`)),
  ),
  ...Object.entries(notInThisRelease).flatMap(([feature, names]) =>
    names
      .split(" ")
      .map((name) => command(name, () => failed(`/${name}: ${feature} is not available in this release`))),
  ),
]

function command(name: string, run: (call: SlashCall) => SlashStep): SlashCommand {
  return { name, help: "", run }
}
