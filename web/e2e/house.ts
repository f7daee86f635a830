/** The people of the house, where a test needs a table that is run by staff but not their desk. */
import type { Floor } from './floor'

/** What was paid is taken back by two people together: there is a second supervisor. */
type Person = 'operator' | 'dealer' | 'supervisor' | 'second supervisor' | 'inspector'
/** The first words of lines that are not the dealer's. */
const SPEAKERS: Person[] = ['operator', 'supervisor', 'inspector']

/** Somebody who came in by a one-time link, and speaks through the API. */
export class House {
  private orders = 0
  private constructor(
    private readonly url: string,
    private readonly tokens: Map<Person, string>,
  ) {}

  /** The operator follows the first link; the others are invited when they first speak. */
  static async of(floor: Floor): Promise<House> {
    const house = new House(floor.url, new Map())
    await house.enter('operator', floor.link)
    return house
  }

  private async enter(who: Person, link: string): Promise<void> {
    const body = { name: `Staff ${who}`, password: `a long pass phrase of ${who}` }
    const path = link.replace(/^\/link\//, '/links/')
    const { token } = await this.ask<{ token: string }>(who, path, body)
    this.tokens.set(who, token)
  }

  private async ask<T>(who: Person, path: string, body: unknown): Promise<T> {
    const token = this.tokens.get(who)
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
    const document = (await answer.json()) as T
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(document)}`)
    return document
  }

  /** A one-time link for a role, as a path. */
  async invited(role: string): Promise<string> {
    const { link } = await this.ask<{ link: string }>('operator', '/invitations', { role })
    return new URL(link).pathname
  }

  /** Says a line at a table; who says it is its first word. */
  async say(table: string, line: string): Promise<void> {
    const [word] = line.split(' ')
    await this.as(SPEAKERS.find((one) => one === word) ?? 'dealer', table, line)
  }

  private async as(who: Person, table: string, line: string): Promise<void> {
    if (!this.tokens.has(who)) await this.enter(who, await this.invited(who.replace('second ', '')))
    this.orders += 1
    await this.ask(who, `/tables/${table}/orders`, { key: `h${this.orders}`, line })
  }

  /** Takes back what was paid: one proposes it, the other says the same. */
  async together(table: string, line: string): Promise<void> {
    const alone = await this.as('supervisor', table, line).catch((fault: Error) => fault.message)
    if (!alone?.includes('second-person')) throw new Error(`one was enough: ${alone ?? line}`)
    await this.as('second supervisor', table, line)
  }
}
