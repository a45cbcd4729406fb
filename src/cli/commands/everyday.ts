// Commands of the group "Everyday".
import { flag, text, type Command } from "../command.ts"
import { configOptions, jsonOption, modelOption, noExtensionsOption, thinkingOption } from "./shared-options.ts"

export const everyday: readonly Command[] = [
  {
    name: "run",
    acts: true,
    summary: "Run one turn: answer on stdout, activity on stderr",
    positionals: "[PROMPT | -]",
    options: {
      session: text("ID", "Use this session (id, id prefix, name or alias).", { short: "s" }),
      continue: flag("Use the newest session of this folder.", { short: "c" }),
      ...modelOption,
      ...thinkingOption,
      json: flag("Print events and deltas as NDJSON on stdout."),
      yes: flag("Approve calls that only the preset 'careful' asks about.", { short: "y" }),
      "allow-tool": text(
        "TOOL",
        "Approve this tool, also if the configuration or an extension asks. A pattern; repeatable.",
        { multiple: true },
      ),
      "allow-untrusted": flag("Approve calls that ask because of untrusted text."),
      wait: text("T", "How long an approval request waits for an answer, such as 10m."),
      plan: flag("Plan mode for this turn: nothing can be changed. The next turn sees the plan."),
      vote: text("K", "With --plan: use the answer that leads by K votes, 1 to 10."),
      detach: flag("Send the prompt, print the session id and exit; the turn goes on.", { short: "d" }),
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
      agent: text("ID", "Attach to the agent with this id in the socket folder."),
      folder: text("DIR", "Socket folder for --agent. Default: from the configuration."),
      turns: text("N", "Number of earlier turns to show. Default: 10.", { short: "n" }),
      watch: flag("Only watch; do not read standard input.", { short: "w" }),
      json: flag("Print new events and deltas as NDJSON."),
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
    options: { all: flag("Include empty sessions.", { short: "a" }), ...jsonOption },
    load: () => import("./everyday/ls.ts"),
  },
  {
    name: "send",
    acts: true,
    summary: "Send text from a program to a session, marked as untrusted",
    positionals: "ID [TEXT...]",
    options: {
      from: text("NAME", "Source of the text, shown to the model. Default: send."),
      json: flag('Print {"id", "sessionId"} with the id of the prompt.'),
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
    summary: "List the available models, their prices and abilities",
    positionals: "[TEXT...]",
    options: {
      all: flag("Every model, also of providers without a key.", { short: "a" }),
      refresh: flag("First fetch newer data: from providers with a key, and a catalogue of models."),
      from: text("URL|FILE", "With --refresh: the catalogue to fetch. Default: https://models.dev/api.json."),
      ...jsonOption,
      ...configOptions,
    },
    details: [
      "TEXT selects models whose name contains every word of it. Abilities: the model sees images, thinks before it",
      "answers, calls tools, reads PDF files. What --refresh fetches is kept in the home; without a network the data",
      "fetched last is used, or that of this release. A catalogue has the format of models.dev.",
    ].join("\n"),
    load: () => import("./everyday/models.ts"),
  },
  {
    name: "doctor",
    summary: "Check the installation, the configuration and the home",
    options: jsonOption,
    details: "Exit code 1 if there are errors; warnings alone exit with 0.",
    load: () => import("./everyday/doctor.ts"),
  },
]
