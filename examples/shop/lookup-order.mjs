#!/usr/bin/env node
// Reads {"order": "1001"} from stdin and prints the order. An unknown order is an error.
import { readFileSync } from "node:fs"

const { order } = JSON.parse(readFileSync(0, "utf8"))
const orders = JSON.parse(readFileSync(new URL("orders.json", import.meta.url), "utf8"))
if (!Object.hasOwn(orders, order)) {
  console.error(`No order ${order}.`)
  process.exit(1)
}
const { item, price, state } = orders[order]
console.log(`Order ${order}: ${item}, ${price.toFixed(2)} EUR, ${state}.`)
