// Tasks whose answer is in a file that is hard to read.
import { call, found, use, type Task } from "../task.ts"
import { pdfWith, pngOf, pixelIn } from "./documents.ts"

const answerIs = (word: string) => `assert.equal(read("answer.txt").trim(), "${word}")`
const manyLines = (lines: number, at: number, text: string) =>
  `${Array.from({ length: lines }, (_, n) => (n === at ? text : `line ${n} of the log`)).join("\n")}\n`

export const readingTasks: readonly Task[] = [
  {
    name: "long-file",
    measures: "reads on where a result was cut",
    instruction: "Which value does the entry 'marker' have in data.log? Write it into answer.txt.",
    files: (word) => ({ "data.log": manyLines(9000, 7321, `marker=${word}`) }),
    check: answerIs,
    *script() {
      let result = yield* use("read", { path: "data.log" })
      let next = found(result, /offset (\d+)/)
      while (found(result, /marker=(\w+)/) === "" && next !== "") {
        result = yield* use("read", { path: "data.log", offset: Number(next) })
        next = found(result, /offset (\d+)/)
      }
      yield* use("write", { path: "answer.txt", content: found(result, /marker=(\w+)/) })
      return "Done."
    },
  },
  {
    name: "long-line",
    measures: "reads the rest of a line that was cut",
    instruction: "What is the last field of the only line of data.json? Write its value into answer.txt.",
    files: (word) => ({ "data.json": `{${'"filler":0,'.repeat(2000)}"last":"${word}"}` }),
    check: answerIs,
    *script() {
      const line = yield* use("read", { path: "data.json" })
      const isCut = found(line, /"last":"(\w+)"/) === ""
      const rest = isCut ? yield* use("bash", { command: "tail -c 40 data.json" }) : line
      yield* use("write", { path: "answer.txt", content: found(rest, /"last":"(\w+)"/) })
      return "Done."
    },
  },
  {
    name: "screenshot",
    measures: "sees an image",
    instruction: "Which colour has the button in button.png? Write its RGB value in hex into answer.txt.",
    files: (word) => ({ "button.png": pngOf(colourOf(word)) }),
    check: (word) => answerIs(colourOf(word)),
    *script() {
      const shown = yield* use("read", { path: "button.png" })
      const [image] = shown.images
      yield* use("write", { path: "answer.txt", content: image === undefined ? "not seen" : pixelIn(image) })
      return "Done."
    },
  },
  {
    name: "pdf",
    measures: "reads the text of a PDF",
    instruction: "Which order number is in order.pdf? Write it into answer.txt.",
    files: (word) => ({ "order.pdf": pdfWith(`Order number ${word} of today`) }),
    check: answerIs,
    *script() {
      const text = yield* use("read", { path: "order.pdf" })
      yield* use("write", { path: "answer.txt", content: found(text, /Order number (\w+)/) })
      return "Done."
    },
  },
  {
    name: "notebook",
    measures: "reads cells of a notebook",
    instruction: "Which seed does the notebook use? Write it into answer.txt.",
    files: (word) => ({
      "model.ipynb": JSON.stringify({
        cells: [
          { cell_type: "markdown", metadata: {}, source: ["# Training\n"] },
          {
            cell_type: "code",
            execution_count: 1,
            metadata: {},
            outputs: [{ output_type: "stream", name: "stdout", text: ["ready\n"] }],
            source: ["import random\n", `seed = "${word}"\n`],
          },
        ],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 5,
      }),
    }),
    check: answerIs,
    *script() {
      const cells = yield* use("read", { path: "model.ipynb" })
      yield* use("write", { path: "answer.txt", content: found(cells, /seed = "(\w+)"/) })
      return "Done."
    },
  },
  {
    name: "latin-1",
    measures: "keeps the encoding of a file",
    instruction: "In menu.txt replace the soup by the dessert that the last line names. Keep the encoding.",
    files: (word) => ({ "menu.txt": Buffer.from(`Café Zoë\nSuppe: Gemüse\nDessert: ${word}\n`, "latin1") }),
    check: (word) =>
      `assert.equal(readFileSync("menu.txt", "latin1"), "Café Zoë\\nSuppe: ${word}\\nDessert: ${word}\\n")`,
    *script() {
      const menu = yield* use("read", { path: "menu.txt" })
      const dessert = found(menu, /Dessert: (\w+)/)
      yield* use("edit", { path: "menu.txt", old_string: "Suppe: Gemüse", new_string: `Suppe: ${dessert}` })
      return "Done."
    },
  },
  {
    name: "utf-16",
    measures: "reads and edits UTF-16",
    instruction: "Set the product name in strings.txt to the code name that the file mentions.",
    files: (word) => ({ "strings.txt": Buffer.from(`\uFEFFproduct=unnamed\r\n; code name ${word}\r\n`, "utf16le") }),
    check: (word) =>
      `assert.equal(readFileSync("strings.txt", "utf16le"), "\\uFEFFproduct=${word}\\r\\n; code name ${word}\\r\\n")`,
    *script() {
      const strings = yield* use("read", { path: "strings.txt" })
      const name = found(strings, /code name (\w+)/)
      yield* use("edit", { path: "strings.txt", old_string: "product=unnamed", new_string: `product=${name}` })
      return "Done."
    },
  },
  {
    name: "folder",
    measures: "looks around before it reads",
    instruction: "There is one note in notes/. Write its only word into answer.txt.",
    files: (word) => ({ [`notes/${word}/note-${word}.txt`]: word }),
    check: answerIs,
    *script() {
      const top = yield* use("read", { path: "notes" })
      const folder = found(top, /([a-z]{8})\//)
      const names = yield* use("ls", { path: `notes/${folder}` })
      const note = yield* use("read", { path: `notes/${folder}/${found(names, /(note-\w+\.txt)/)}` })
      yield [call("write", { path: "answer.txt", content: found(note, /\t(\w+)/) })]
      return "Done."
    },
  },
]

/** A colour that depends on the word of the run. */
function colourOf(word: string): string {
  return Buffer.from(word.slice(0, 3)).toString("hex")
}
