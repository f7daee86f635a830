/** The clock on the house's wall: times are shown by it, wherever the browser is. */
import { api } from './api'
import { L } from './texts'

class HouseClock {
  zone = $state<string | null>(null)
  private asked: Promise<void> | null = null

  /** Asks the house for its time zone, once. */
  load(): Promise<void> {
    this.asked ??= api
      .house()
      .then((house) => {
        this.zone = house.time_zone
      })
      .catch(() => {
        this.asked = null
      })
    return this.asked
  }

  /** A time of day in milliseconds, as the house shows it; until that is known, as the browser does. */
  time(ms: number): string {
    return this.show(ms, { timeStyle: 'medium' })
  }

  /** A day. */
  day(ms: number): string {
    return this.show(ms, { dateStyle: 'medium' })
  }

  private show(ms: number, how: Intl.DateTimeFormatOptions): string {
    // In the page's language, and in the browser's own kind of it where it is the same.
    const own = typeof navigator === 'undefined' ? [] : navigator.languages
    const like = [...own.filter((one) => one.slice(0, 2) === L.tag.slice(0, 2)), L.tag]
    try {
      const zone = this.zone ? { timeZone: this.zone } : {}
      return new Intl.DateTimeFormat(like, { ...how, ...zone }).format(ms)
    } catch {
      // A browser that does not know the zone.
      return new Intl.DateTimeFormat(like, how).format(ms)
    }
  }
}

export const clock = new HouseClock()
