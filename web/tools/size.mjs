// Measures what a player loads for lobby and table, as it is sent to a browser that takes gzip and
// nothing better, and fails above the limit.
import { existsSync, readFileSync, statSync } from 'node:fs'

const LIMIT = 80 * 1024
const manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8'))
const seen = new Set()

function follow(key) {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return
  seen.add(key)
  for (const next of chunk.imports ?? []) follow(next)
}

follow('index.html')
const files = new Set()
for (const key of seen) {
  files.add(manifest[key].file)
  for (const css of manifest[key].css ?? []) files.add(css)
}
/** The size of what is sent: a small file has no compressed one beside it. */
const sent = (file, ending) =>
  statSync(existsSync(`dist/${file}${ending}`) ? `dist/${file}${ending}` : `dist/${file}`).size
const kilobytes = (size) => `${(size / 1024).toFixed(1).padStart(6)} KB`
let sum = 0
let best = 0
for (const file of files) {
  sum += sent(file, '.gz')
  best += sent(file, '.br')
  console.log(`${kilobytes(sent(file, '.gz'))}  ${file}`)
}
console.log(`${kilobytes(sum)}  lobby and table together; at most ${LIMIT / 1024}`)
console.log(`${kilobytes(best)}  by Brotli`)
if (sum > LIMIT) process.exit(1)
