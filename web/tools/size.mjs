// Measures what a player loads for lobby and table, compressed, and fails above the limit.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

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
let sum = 0
for (const file of files) {
  const size = gzipSync(readFileSync(`dist/${file}`), { level: 9 }).length
  sum += size
  console.log(`${(size / 1024).toFixed(1).padStart(6)} KB  ${file}`)
}
console.log(
  `${(sum / 1024).toFixed(1).padStart(6)} KB  lobby and table together; at most ${LIMIT / 1024}`,
)
if (sum > LIMIT) process.exit(1)
