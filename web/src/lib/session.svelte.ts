/** Who is here: nobody, a guest, a member or staff. */
import { Refused, api } from './api'
import type { Me } from './types'

class Session {
  me = $state.raw<Me | null>(null)
  known = $state(false)

  async look(): Promise<Me | null> {
    try {
      this.me = await api.me()
    } catch (thrown) {
      if (thrown instanceof Refused && thrown.problem.status === 401) this.me = null
    }
    this.known = true
    return this.me
  }

  /** Whoever is here, or a new guest. */
  async somebody(): Promise<Me | null> {
    const me = this.me ?? (await this.look())
    if (me) return me
    await api.guest()
    return this.look()
  }

  async leave(): Promise<void> {
    await api.signOut()
    this.me = null
  }
}

export const session = new Session()
