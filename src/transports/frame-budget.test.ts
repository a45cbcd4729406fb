import { expect, it } from "vitest"
import { FrameBudget, type BudgetHolder } from "./frame-budget.ts"

class Holder implements BudgetHolder {
  unfinished = 0
  isRefused = false
  readonly #budget: FrameBudget

  constructor(budget: FrameBudget) {
    this.#budget = budget
    budget.enter(this)
  }

  hold(bytes: number): void {
    this.unfinished += bytes
    this.#budget.change(bytes)
  }

  refuse(): void {
    this.isRefused = true
  }
}

it("closes the newest holders of unfinished bytes until the rest fits", () => {
  const budget = new FrameBudget(100)
  const [first, second, third, idle] = [1, 2, 3, 4].map(() => new Holder(budget))
  first?.hold(50)
  third?.hold(20)
  second?.hold(30)
  expect(budget.used).toBe(100)
  first?.hold(25)
  expect([first, second, third, idle].map((holder) => holder?.isRefused)).toEqual([false, true, true, false])
  expect(budget.used).toBe(75)
})

it("frees the bytes of a holder that finishes its frame or leaves", () => {
  const budget = new FrameBudget(100)
  const [first, second] = [new Holder(budget), new Holder(budget)]
  first.hold(60)
  first.hold(-60)
  second.hold(90)
  budget.leave(second)
  budget.leave(second)
  expect([budget.used, first.isRefused, second.isRefused]).toEqual([0, false, false])
})
