/** The clock on the house's wall: times are shown by it, wherever the browser is. */
import { api } from './api'

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

  /** A day and a time of day. */
  moment(ms: number): string {
    return this.show(ms, { dateStyle: 'medium', timeStyle: 'medium' })
  }

  private show(ms: number, how: Intl.DateTimeFormatOptions): string {
    try {
      const zone = this.zone ? { timeZone: this.zone } : {}
      return new Intl.DateTimeFormat(undefined, { ...how, ...zone }).format(ms)
    } catch {
      // A browser that does not know the zone.
      return new Intl.DateTimeFormat(undefined, how).format(ms)
    }
  }
}

export const clock = new HouseClock()
