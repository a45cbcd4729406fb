#!/usr/bin/env node
// {"order": "1001"} on stdin; what is known of it on stdout. An order that is not there is a failure, and said to be one.
import { readFileSync } from "node:fs"

const { order } = JSON.parse(readFileSync(0, "utf8"))
const orders = JSON.parse(readFileSync(new URL("orders.json", import.meta.url), "utf8"))
if (!Object.hasOwn(orders, order)) {
  console.error(`There is no order ${order}.`)
  process.exit(1)
}
const { item, price, state } = orders[order]
console.log(`Order ${order}: ${item}, ${price.toFixed(2)} EUR, ${state}.`)
