// Commands of the group "Records".
import { flag, text, type Command } from "../command.ts"
import { allName, countHelp, proofLines, proofs, serverProofs, usualMinutes } from "../prove/proofs.ts"
import { jsonOption } from "./shared-options.ts"

export const records: readonly Command[] = [
  {
    name: "export",
    summary: "Write a session to a signed file that others can verify",
    positionals: "ID [FILE]",
    details: "The file contains the events, their hash chain and a signature. Without FILE it is written to stdout.",
    load: () => import("./records/export.ts"),
  },
  {
    name: "replay",
    summary: "Show an exported session as a conversation",
    positionals: "FILE",
    options: jsonOption,
    details: "'-' reads standard input. A file that does not match its seal is shown with a warning, exit code 1.",
    load: () => import("./records/replay.ts"),
  },
  {
    name: "verify",
    summary: "Verify an exported file or the log of this home",
    positionals: "[FILE]",
    options: {
      head: text("HASH", "Check that nothing after this hash (log ID --head) was cut off."),
      key: text("KEY", "Public key that must have signed the file (export prints it)."),
      "accept-loss": text("ID|all", "Continue a session although its newest acknowledged events are missing."),
      ...jsonOption,
    },
    load: () => import("./records/verify.ts"),
  },
  {
    name: "backup",
    summary: "Copy the log and the index of documents, even while sessions run",
    positionals: "FILE",
    options: jsonOption,
    load: () => import("./records/backup.ts"),
  },
  {
    name: "migrate",
    acts: true,
    summary: "Copy the log of this home from SQLite to PostgreSQL, or back",
    options: {
      to: text("TARGET", "postgres://USER@HOST/DATABASE, 'postgres' for the configured one, or 'sqlite'."),
      "dry-run": flag("Only say what would be copied."),
      ...jsonOption,
    },
    details: [
      "Copies every session byte by byte, reads it back and checks its hash chain. The source is not changed. Hosts must be",
      "stopped, and cannot start meanwhile. It can be interrupted and repeated: a session that is there already is skipped or",
      "extended. One that was continued on both sides, or is damaged, is named and left as it is, exit code 1. The configuration",
      "is not changed: the output says what to change.",
    ].join("\n"),
    load: () => import("./records/migrate.ts"),
  },
  {
    name: "prove",
    summary: "Check the guarantees on this machine, with processes that it kills",
    positionals: [...proofs.map(({ name }) => name), allName].join(" | "),
    completes: [...proofs.map(({ name }) => name), allName],
    options: {
      ...Object.fromEntries(proofs.map((proof) => [proof.unit, text("N", countHelp(proof))])),
      ...Object.fromEntries(
        proofs.flatMap(({ part }) => (part === undefined ? [] : [[part.option, text("NAME", part.help)]])),
      ),
      store: text(
        "URL",
        `With ${serverProofs}: run the hosts as nodes of a cluster on this PostgreSQL, in databases of their own.`,
      ),
      bus: text("URL", "With --store: the NATS of the nodes."),
      minutes: text("M", `With ${allName}: how long it takes. Default: ${usualMinutes}.`),
      seed: text("S", "What is planned at random: a number. Default: a random one, which is printed."),
      ...jsonOption,
    },
    details: [
      ...proofLines(),
      "",
      `'${allName}' runs all of them one after another for --minutes: first a short run of each, then longer ones with other seeds.`,
      "Each takes up to about two minutes, needs no key and no network, and touches none of your sessions. It stops at the first",
      "promise that does not hold, with exit code 1, the command that repeats it, and the homes, which are kept. docs/prove.md",
      "says what it cannot show.",
    ].join("\n"),
    load: () => import("./records/prove.ts"),
  },
]
