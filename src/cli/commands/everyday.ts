// Commands of the group "Everyday".
import type { Command } from "../command.ts"
import { configOptions, jsonOption, modelOption, noExtensionsOption } from "./shared-options.ts"

export const everyday: readonly Command[] = [
  {
    name: "run",
    acts: true,
    summary: "Run one turn: answer on stdout, activity on stderr",
    positionals: "[PROMPT | -]",
    options: {
      session: { type: "string", short: "s", value: "ID", help: "Use this session (id, id prefix, name or alias)." },
      continue: { type: "boolean", short: "c", help: "Use the newest session of this folder." },
      ...modelOption,
      json: { type: "boolean", help: "Print events and deltas as NDJSON on stdout." },
      yes: { type: "boolean", short: "y", help: "Approve calls that only the preset 'careful' asks about." },
      "allow-tool": {
        type: "string",
        multiple: true,
        value: "TOOL",
        help: "Approve this tool, also if the configuration or an extension asks. A pattern; repeatable.",
      },
      "allow-untrusted": { type: "boolean", help: "Approve calls that ask because of untrusted text." },
      wait: { type: "string", value: "T", help: "How long an approval request waits for an answer, such as 10m." },
      plan: { type: "boolean", help: "Plan mode for this turn: nothing can be changed. The next turn sees the plan." },
      vote: { type: "string", value: "K", help: "With --plan: use the answer that leads by K votes, 1 to 10." },
      detach: {
        type: "boolean",
        short: "d",
        help: "Send the prompt, print the session id and exit; the turn goes on.",
      },
      ...noExtensionsOption,
      ...configOptions,
    },
    details: [
      "Without PROMPT, standard input is the prompt; with --session or --continue an open turn is resumed.",
      "With PROMPT, text on standard input is appended to it; '-' as the last argument waits for that text.",
      "A session that is open in another process is prompted and watched there.",
      "Ctrl-C interrupts the turn; the session is kept and can be continued.",
      "If the outcome of an earlier call is unknown, only a user can approve the next one; in a script it is refused",
      "(exit code 3).",
    ].join("\n"),
    load: () => import("./everyday/run.ts"),
  },
  {
    name: "attach",
    acts: true,
    summary: "Watch a live session and send messages to it, wherever it runs",
    positionals: "[ID|FILE.sock]",
    options: {
      agent: { type: "string", value: "ID", help: "Attach to the agent with this id in the socket folder." },
      folder: { type: "string", value: "DIR", help: "Socket folder for --agent. Default: from the configuration." },
      turns: { type: "string", short: "n", value: "N", help: "Number of earlier turns to show. Default: 10." },
      watch: { type: "boolean", short: "w", help: "Only watch; do not read standard input." },
      json: { type: "boolean", help: "Print new events and deltas as NDJSON." },
    },
    details: [
      "Without ID: the newest session of this folder. Each line of standard input is a prompt; /help lists the commands.",
      "Ctrl-C interrupts a running turn, or detaches if none runs. Detaching never ends the session. Lines from a pipe are",
      "sent as they come, and the command waits for the turns they start. FILE.sock is the session socket of any agent",
      "that speaks brainwires IPC: it receives /commands itself, and lines from a pipe are sent one at a time.",
    ].join("\n"),
    load: () => import("./everyday/attach.ts"),
  },
  {
    name: "ls",
    summary: "List sessions, newest first",
    positionals: "",
    options: { all: { type: "boolean", short: "a", help: "Include empty sessions." }, ...jsonOption },
    load: () => import("./everyday/ls.ts"),
  },
  {
    name: "send",
    acts: true,
    summary: "Send text from a program to a session, marked as untrusted",
    positionals: "ID [TEXT...]",
    options: {
      from: { type: "string", value: "NAME", help: "Source of the text, shown to the model. Default: send." },
      json: { type: "boolean", help: 'Print {"id", "sessionId"} with the id of the prompt.' },
    },
    details: [
      "Without TEXT, or with '-' as the last argument, the text is read from standard input. A running turn receives it at",
      "its next tool call; otherwise it starts a turn. The model is told not to follow instructions in it, and calls that",
      "can change something need approval. To send a prompt as yourself: turnhouse run --session ID --detach TEXT",
    ].join("\n"),
    load: () => import("./everyday/send.ts"),
  },
  {
    name: "models",
    summary: "List the available models and their prices",
    positionals: "",
    options: { ...jsonOption, ...configOptions },
    load: () => import("./everyday/models.ts"),
  },
  {
    name: "doctor",
    summary: "Check the installation, the configuration and the home",
    positionals: "",
    options: jsonOption,
    details: "Exit code 1 if there are errors; warnings alone exit with 0.",
    load: () => import("./everyday/doctor.ts"),
  },
]
