// Writes a .gz and a .br beside each file of the page that is text: the server sends what the browser
// takes, and compresses nothing while somebody waits.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Pictures and fonts are compressed already. */
const TEXT = /\.(html|js|css|svg|json|webmanifest)$/
/** What is smaller is not worth two more files. */
const LEAST = 256

for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
  // The folder that begins with a dot is for the tools, not for the browser.
  if (!entry.isFile() || !TEXT.test(entry.name) || entry.parentPath.includes('/.')) continue
  const path = `${entry.parentPath}/${entry.name}`
  const plain = readFileSync(path)
  if (plain.length < LEAST) continue
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }))
}
