// Draws the icons of web/public from icon.svg, by the browser that the tests use. They are kept as files:
// run it when the drawing changes, `node tools/icons.mjs` in web/.
import { readFileSync } from 'node:fs'
import { chromium } from '@playwright/test'

const svg = readFileSync('public/icon.svg', 'utf8')
const ground = /<rect[^>]*fill="(#[0-9a-f]+)"/.exec(svg)?.[1] ?? '#000'
// A maskable icon and that of a phone are cut to a shape: the ground fills them to the edge.
const full = { background: ground, scale: 0.78 }
const ICONS = [
  { name: 'icon-192', size: 192 },
  { name: 'icon-512', size: 512 },
  { name: 'icon-maskable', size: 512, ...full },
  { name: 'apple-touch-icon', size: 180, ...full, scale: 0.9 },
]

const browser = await chromium.launch({
  executablePath: process.env['SABOT_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
for (const { name, size, background = 'transparent', scale = 1 } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const side = Math.round(size * scale)
  await page.setContent(
    `<style>body{margin:0;height:100vh;display:grid;place-items:center;background:${background}}
     svg{width:${side}px;height:${side}px}</style>${svg}`,
  )
  await page.screenshot({ path: `public/${name}.png`, omitBackground: true })
  await page.close()
}
await browser.close()
