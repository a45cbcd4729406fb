import { describe, expect, it } from "vitest"
import { answersForModel, answerSummary, howToType, questionsText, readAnswer, readAnswers } from "./questions.ts"

const options = [{ label: "PostgreSQL", description: "A server" }, { label: "SQLite" }, { label: "None, yet" }]
const database = { question: "Which database?", options }
const several = { question: "Which platforms?", multiSelect: true, options: [{ label: "Linux" }, { label: "macOS" }] }

describe("an answer", () => {
  it.each([
    ["1", { options: ["PostgreSQL"] }],
    [" 2 ", { options: ["SQLite"] }],
    ["sqlite", { options: ["SQLite"] }],
    ["None, yet", { options: ["None, yet"] }],
    ["DuckDB, please", { options: [], text: "DuckDB, please" }],
    ['"2"', { options: [], text: "2" }],
    ["'8080'", { options: [], text: "8080" }],
    ["no", { options: [], text: "no" }],
    ["", "The answer is empty"],
    ["1,2", "Choose one option only"],
    ["4", 'There is no option 4; choose 1 to 3, or put your own words in quotes: "4"'],
    ["0", 'There is no option 0; choose 1 to 3, or put your own words in quotes: "0"'],
  ])("%j to a question with one choice", (text, expected) => {
    expect(readAnswer(database, text)).toEqual(expected)
  })

  it.each([
    ["2 1", { options: ["Linux", "macOS"] }],
    ["1,1", { options: ["Linux"] }],
    ["macos, linux", { options: ["macOS", "Linux"] }],
    ["linux, BeOS", { options: [], text: "linux, BeOS" }],
  ])("%j to a question with several choices", (text, expected) => {
    expect(readAnswer(several, text)).toEqual(expected)
  })

  it("to several questions has a line or a part for each", () => {
    const expected = { kind: "ok", answers: [{ options: ["SQLite"] }, { options: ["Linux", "macOS"] }] }
    expect(readAnswers([database, several], "2; 1,2")).toEqual(expected)
    expect(readAnswers([database, several], "2\n1 2\n")).toEqual(expected)
    expect(readAnswers([database, several], "a; b\nlinux")).toMatchObject({ answers: [{ text: "a; b" }, {}] })
    expect(readAnswers([database, several], "2")).toMatchObject({
      message: expect.stringContaining("There are 2 questions, and 1 answer."),
    })
    expect(readAnswers([database, several], "2;9")).toMatchObject({ message: expect.stringContaining("Question 2: ") })
  })

  it("to a question without choices is always own words", () => {
    const age = { question: "Your age?", options: [] }
    expect(readAnswer(age, " 42 ")).toEqual({ options: [], text: "42" })
    expect(howToType([age])).toBe("your answer")
  })

  it("of any length is read in time", () => {
    expect(readAnswer(database, "1 ".repeat(10_000))).toMatchObject({ options: [] })
    expect(readAnswer(database, "1,".repeat(10_000))).toMatchObject({ options: [] })
  })

  it("is shown to people in one line and to the model with its question", () => {
    const answers = [{ options: ["Linux", "macOS"] }, { options: [], text: "mine" }]
    expect(answerSummary(answers)).toBe("Linux, macOS; mine")
    expect(answersForModel([several, database], answers)).toBe(
      "Question: Which platforms?\nAnswer: Linux, macOS\n\nQuestion: Which database?\nAnswer: mine (in the user's own words)",
    )
  })
})

it("shows questions with numbers", () => {
  expect(questionsText([database])).toBe("Which database?\n  1. PostgreSQL: A server\n  2. SQLite\n  3. None, yet")
  expect(questionsText([database, several])).toContain("Question 2: Which platforms? (one or more)\n  1. Linux")
  expect(howToType([database])).toBe("a number or your own words")
})
