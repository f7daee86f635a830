/** Who is here: nobody, a guest, a member or staff. */
import { Refused, api } from './api'
import type { Entered, Me } from './types'

/** Says that this browser has a session: its cookie itself cannot be read by the page. */
const HINT = 'sabot.session'

function hinted(): boolean {
  try {
    return localStorage.getItem(HINT) !== null
  } catch {
    return true
  }
}

function hint(on: boolean): void {
  try {
    if (on) localStorage.setItem(HINT, '1')
    else localStorage.removeItem(HINT)
  } catch {
    // A browser that keeps nothing asks each time.
  }
}

class Session {
  me = $state.raw<Me | null>(null)
  known = $state(false)

  /** Asks who is here. A stranger who only looks has nothing to ask about; where a session matters
   * it is asked for all the same, since a browser may have lost the hint and kept the cookie. */
  async look(surely = false): Promise<Me | null> {
    if (surely || hinted()) {
      try {
        this.me = await api.me()
        hint(true)
      } catch (thrown) {
        if (thrown instanceof Refused && thrown.problem.status === 401) this.forget()
      }
    }
    this.known = true
    return this.me
  }

  /** Somebody came in: by a name, by a link, or as a guest. */
  async enter(coming: Promise<Entered>): Promise<Me | null> {
    await coming
    hint(true)
    return this.look()
  }

  /** Whoever is here, or a new guest. */
  async somebody(): Promise<Me | null> {
    return this.me ?? (await this.look(true)) ?? (await this.enter(api.guest()))
  }

  /** The session is over, here or elsewhere. */
  forget(): void {
    this.me = null
    hint(false)
  }

  async leave(everywhere = false): Promise<void> {
    await (everywhere ? api.signOutEverywhere() : api.signOut())
    this.forget()
  }
}

export const session = new Session()
