// Tasks that run programs.
import { call, found, use, type Task } from "../task.ts"

const answerIs = (word: string) => `assert.equal(read("answer.txt").trim(), "${word}")`

export const shellTasks: readonly Task[] = [
  {
    name: "two-failures",
    measures: "runs the tests until they pass",
    instruction: "Make the tests pass.",
    files: (word) => ({
      "sum.mjs": `export const sum = (a, b) => a - b\nexport const label = () => "?"\n`,
      "sum.test.mjs": `import assert from "node:assert/strict"\nimport { sum, label } from "./sum.mjs"\nassert.equal(sum(2, 3), 5, "sum(2, 3) must be 5")\nassert.equal(label(), "${word}", "label must be <${word}>")\n`,
      "package.json": `{"type":"module","scripts":{"test":"node sum.test.mjs"}}`,
    }),
    check: () => `execFileSync(process.execPath, ["sum.test.mjs"])`,
    *script() {
      const first = yield* use("bash", { command: "npm test --silent" })
      yield* use("read", { path: "sum.mjs" })
      const operator = found(first, /must be (5)/) === "5" ? "a + b" : "a * b"
      yield* use("edit", { path: "sum.mjs", old_string: "a - b", new_string: operator })
      const second = yield* use("bash", { command: "npm test --silent" })
      yield* use("edit", { path: "sum.mjs", old_string: `"?"`, new_string: `"${found(second, /<(\w+)>/)}"` })
      const third = yield* use("bash", { command: "npm test --silent && echo all passed" })
      return found(third, /(all passed)/)
    },
  },
  {
    name: "git-history",
    measures: "searches the history",
    instruction: "The entry 'owner' was removed from team.txt. Who was it? Write the name into answer.txt.",
    files: (word) => ({ "team.txt": `owner ${word}\nmember x\n` }),
    setup: [
      "git config user.name bench && git config user.email bench@localhost",
      "echo 'member x' > team.txt && git commit -qam 'Shorten the team'",
      "echo 'member y' >> team.txt && git commit -qam 'Add a member'",
    ],
    check: answerIs,
    *script() {
      const log = yield* use("bash", { command: "git log -S owner -p --format=%h -- team.txt" })
      yield* use("write", { path: "answer.txt", content: found(log, /-owner (\w+)/) })
      return "Done."
    },
  },
  {
    name: "csv-report",
    measures: "writes a program and runs it",
    instruction: "Sum the amounts in sales.csv by region and write the largest region's name into answer.txt.",
    files: (word) => ({
      "sales.csv": `region,amount\n${Array.from({ length: 400 }, (_, n) => `${n % 4 === 1 ? word : `r${n % 4}`},${n % 4 === 1 ? 9 : 2}`).join("\n")}\n`,
    }),
    check: answerIs,
    *script() {
      const program = `const rows = require("fs").readFileSync("sales.csv", "utf8").trim().split("\\n").slice(1).map((l) => l.split(","))
const sums = {}
for (const [region, amount] of rows) sums[region] = (sums[region] ?? 0) + Number(amount)
console.log("largest: " + Object.entries(sums).sort((a, b) => b[1] - a[1])[0][0])`
      yield* use("read", { path: "sales.csv", limit: 5 })
      yield* use("write", { path: "sum.cjs", content: program })
      const output = yield* use("bash", { command: "node sum.cjs && rm sum.cjs" })
      yield* use("write", { path: "answer.txt", content: found(output, /largest: (\w+)/) })
      return "Done."
    },
  },
  {
    name: "background-server",
    measures: "starts a server in the background, asks it, stops it",
    instruction: "Start server.mjs, ask it for /word and write the answer into answer.txt. Stop the server afterwards.",
    files: (word) => ({
      "server.mjs": `import { createServer } from "node:http"\nimport { writeFileSync, rmSync } from "node:fs"\nconst server = createServer((request, response) => response.end(request.url === "/word" ? "${word}" : "?"))\nserver.listen(0, "127.0.0.1", () => console.log("port " + server.address().port))\nwriteFileSync("running", String(process.pid))\nprocess.on("SIGTERM", () => { rmSync("running"); process.exit() })\n`,
    }),
    check: (word) => `${answerIs(word)}\nassert(!existsSync("running"), "the server still runs")`,
    *script() {
      const started = yield* use("bash", { command: "node server.mjs", run_in_background: true })
      const id = found(started, /\b((?:sh|bash|shell)_[\w-]+)/)
      const output = yield* use("bash_output", { id, timeout: 20 })
      const port = found(output, /port (\d+)/)
      const answer = yield* use("bash", {
        command: `node -e 'fetch("http://127.0.0.1:${port}/word").then((r) => r.text()).then((t) => console.log("word: " + t))'`,
      })
      yield* use("bash_kill", { id })
      yield* use("write", { path: "answer.txt", content: found(answer, /word: (\w+)/) })
      return "Done."
    },
  },
  {
    name: "large-output",
    measures: "finds what the cut of a long output left out",
    instruction:
      "Run ./noise.sh. Somewhere in its output is a line with 'needle'. Write the word after it into answer.txt.",
    files: (word) => ({
      "noise.sh": `#!/bin/sh\nseq 1 60000 | sed "s/^/noise /"\necho "needle ${word}"\nseq 1 60000 | sed "s/^/noise /"\n`,
    }),
    setup: ["chmod +x noise.sh"],
    check: answerIs,
    *script() {
      const output = yield* use("bash", { command: "./noise.sh" })
      const isCut = found(output, /needle (\w+)/) === "" && output.text.length > 100
      const again = isCut ? yield* use("bash", { command: "./noise.sh | grep needle" }) : output
      yield* use("write", { path: "answer.txt", content: found(again, /needle (\w+)/) })
      return "Done."
    },
  },
  {
    name: "sub-agent",
    measures: "a sub-agent finds something out",
    instruction: "Let a sub-agent find the code word in the folder deep/ and write it into answer.txt yourself.",
    files: (word) => ({ "deep/a/b/c.txt": `the code word is ${word}\n` }),
    check: answerIs,
    *script() {
      const answer = yield* use("subagent", { task: "Report the code word below deep/." })
      yield* use("write", { path: "answer.txt", content: found(answer, /code word: (\w+)/) })
      return "Done."
    },
    agents: {
      *"Report the code word below deep/."() {
        const matches = yield* use("grep", { pattern: "code word", path: "deep" })
        return `code word: ${found(matches, /code word is (\w+)/)}`
      },
    },
  },
  {
    name: "parallel-calls",
    measures: "several calls in one step",
    instruction: "Join the words in the files a, b and c, in this order, with '-', into answer.txt.",
    files: (word) => ({ a: word.slice(0, 3), b: word.slice(3, 5), c: word.slice(5) }),
    check: (word) => answerIs(`${word.slice(0, 3)}-${word.slice(3, 5)}-${word.slice(5)}`),
    *script() {
      const results = yield ["a", "b", "c"].map((path) => call("read", { path }))
      yield* use("write", { path: "answer.txt", content: results.map((one) => found(one, /\t(\w+)/)).join("-") })
      return "Done."
    },
  },
]
