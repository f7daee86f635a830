/** Texts that came after the page: each language but English is a part of its own. */
import type { Texts } from './en'

class Fetched {
  zh = $state.raw<Texts | null>(null)
}

export const fetched = new Fetched()
