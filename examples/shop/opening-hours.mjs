#!/usr/bin/env node
console.log("The shop is open from Monday to Saturday, 9:00 to 18:00.")
