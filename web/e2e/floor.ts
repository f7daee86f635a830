/**
 * A floor for tests: the real program in a folder of its own on a free port. A program that was
 * built without this page gets it from Vite, which passes requests on, with the same policy.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WEB = join(dirname(fileURLToPath(import.meta.url)), '..')
export const BIN = process.env['SABOT_BIN'] ?? join(WEB, '..', 'target', 'release', 'sabot')

/** Whether times are held to their limits: `make e2e` on a machine that does nothing else. */
export const TIMED = Boolean(process.env['SABOT_TIMED'])

export type Table = { title: string; opens: string; sign?: string[]; pace?: string; deals?: string }

/** A table of every book, at a pace for programs. */
export function tablesOfEveryBook(pace: string): Table[] {
  const main = 'operator posts main 5..500'
  const tie = 'operator posts tie 5..100'
  return [
    {
      title: 'Canberra',
      opens: 'operator opens act-2018 with dragon, pairs=perfect',
      sign: [main, tie, 'operator posts dragon 5..50', 'operator posts pairs 5..50'],
      pace,
    },
    { title: 'Old Canberra', opens: 'operator opens act-2012', sign: [main, tie], pace },
    { title: 'Auckland', opens: 'operator opens nz-1998', sign: [main, tie], pace },
    { title: 'Melbourne', opens: 'operator opens vic-2005', sign: [main, tie], pace },
    { title: 'Hobart', opens: 'operator opens tas-2013', sign: [main, tie], pace },
  ]
}

function configuration(tables: Table[], robots: number): string {
  const text = JSON.stringify
  const head = `robots = ${robots}\nrequests_per_second = 500\nguests_per_hour = 5000\n`
  const entries = tables.map((table) => {
    const lines = [`title = ${text(table.title)}`, `opens = ${text(table.opens)}`]
    if (table.sign) lines.push(`sign = [${table.sign.map((line) => text(line)).join(', ')}]`)
    if (table.pace) lines.push(`pace = ${text(table.pace)}`)
    if (table.deals) lines.push(`deals = ${text(table.deals)}`)
    return `[[table]]\n${lines.join('\n')}\n`
  })
  return head + entries.join('\n')
}

function built(): string {
  return readFileSync(join(WEB, 'dist', 'index.html'), 'utf8')
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function until<T>(what: () => Promise<T | null>, seconds = 20): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const found = await what().catch(() => null)
    if (found !== null) return found
    if (Date.now() > end) throw new Error('waited too long')
    await new Promise((done) => setTimeout(done, 50))
  }
}

export class Floor {
  url = ''
  /** The operator's one-time link, as a path. */
  link = ''
  /** Whether the program itself serves the page that was built last. */
  holdsPage = false
  private program: ChildProcess | null = null
  private preview: ChildProcess | null = null

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async open(tables: Table[], robots = 0): Promise<Floor> {
    const folder = mkdtempSync(join(tmpdir(), 'sabot-page-'))
    writeFileSync(join(folder, 'set-up.toml'), configuration(tables, robots))
    const floor = new Floor(folder, await freePort())
    await floor.start()
    const api = `http://127.0.0.1:${floor.port}`
    const page = await (await fetch(api)).text()
    // What is tested is the page as it was built last, in the program or beside it.
    floor.holdsPage = page === built()
    if (floor.holdsPage) floor.url = api
    else await floor.serve(api)
    return floor
  }

  /** Starts the program, again if it was killed. */
  async start(): Promise<void> {
    const args = ['serve', '--config', join(this.folder, 'set-up.toml')]
    const where = ['--data', join(this.folder, 'data'), '--listen', `127.0.0.1:${this.port}`]
    const program = spawn(BIN, [...args, ...where], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.program = program
    let said = ''
    program.stdout.on('data', (text) => (said += String(text)))
    program.stderr.on('data', (text) => (said += String(text)))
    await until(async () => {
      if (program.exitCode !== null) throw new Error(said)
      const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1/tables`)
      return answer.ok ? true : null
    })
    this.link = /\/link\/\S+/.exec(said)?.[0] ?? this.link
  }

  private async serve(api: string): Promise<void> {
    const port = await freePort()
    const vite = join(WEB, 'node_modules', 'vite', 'bin', 'vite.js')
    this.preview = spawn(
      process.execPath,
      [vite, 'preview', '--host', '127.0.0.1', '--port', String(port), '--strictPort'],
      { cwd: WEB, env: { ...process.env, SABOT_SERVER: api }, stdio: 'ignore' },
    )
    this.url = `http://127.0.0.1:${port}`
    await until(async () => ((await fetch(this.url)).ok ? true : null))
  }

  /** Kills the program at once, as a failing machine would. */
  async kill(): Promise<void> {
    const program = this.program
    if (!program) return
    const gone = new Promise((done) => program.once('exit', done))
    program.kill('SIGKILL')
    await gone
  }

  async close(): Promise<void> {
    await this.kill()
    this.preview?.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}
