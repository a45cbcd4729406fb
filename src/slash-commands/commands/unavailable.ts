// Commands of other viewers that cannot be carried out: because they need a terminal, or because what they are about is
// not there. They are known, so that nobody looks for a typing mistake.
import { failed, type SlashCall, type SlashCommand, type SlashStep } from "../command.ts"

/** What to do instead. */
const needATerminal: Readonly<Record<string, string>> = {
  shell: "a shell",
  shells: "shells",
  hotkeys: "keys are a viewer's own",
  keys: "keys are a viewer's own",
  switch: "a viewer opens the socket of the other agent; /agents lists them",
  resume: "a viewer opens the socket of that session; 'turnhouse attach ID' shows it",
}

const notInThisRelease: Readonly<Record<string, readonly string[]>> = {
  "Adding files to the context": ["context:add", "context:remove", "context:pin", "context:unpin", "context:clear"],
  "A store of plans": [
    "plans",
    ...["show", "delete", "activate", "resume", "deactivate", "current", "pause"].map((word) => `plan:${word}`),
    ...["execute", "search", "branch", "merge", "tree"].map((word) => `plan:${word}`),
  ],
  "A store of templates": ["templates", "template:save", "template:show", "template:use", "template:delete"],
  "Learned knowledge": [
    "learn",
    "knowledge",
    ...["list", "search", "sync", "contradict", "delete"].map((word) => `knowledge:${word}`),
    "remember",
  ],
  "A user profile": [
    "profile",
    ...["set", "name", "list", "search", "delete", "sync", "export", "import", "stats"].map(
      (word) => `profile:${word}`,
    ),
  ],
  "A store of skills": ["skill", "skills", "skill:show", "skill:reload", "skill:create"],
  Dreaming: ["dream", "dream:status", "dream:run"],
}

/** They do not stand in the help. */
export const absentCommands: readonly SlashCommand[] = [
  command("exec", ({ options: { place } }) =>
    failed(place === undefined ? "ExecCommand is blocked for remote execution" : `Not available ${place}: a shell`),
  ),
  command("approvals", () =>
    failed("What asks is decided by the configuration of the session; /approvals:list shows what waits"),
  ),
  ...Object.entries(needATerminal).map(([name, why]) =>
    command(name, ({ options: { place = "over IPC" } }) => failed(`Not available ${place}: ${why}`)),
  ),
  ...Object.entries(notInThisRelease).flatMap(([what, names]) =>
    names.map((name) => command(name, () => failed(`/${name}: ${what} is not available in this release`))),
  ),
]

function command(name: string, run: (call: SlashCall) => SlashStep): SlashCommand {
  return { name, usage: "", help: "", run }
}
