/** The texts in the language that was chosen. English is there at once; others are fetched. */
import { settings } from '../settings.svelte'
import { en, type Texts } from './en'
import { fetched } from './fetched.svelte'

export type { Texts }

export const L = {
  get t(): Texts {
    return settings.language === 'zh' && fetched.zh ? fetched.zh : en
  },
  /** The language that is shown, as the document names it. */
  get tag(): string {
    return this.t === en ? 'en' : 'zh-Hans'
  },
}

/** Fetches the chosen language, if it is not here; without it the page stays English. */
export async function learn(): Promise<void> {
  if (settings.language !== 'zh' || fetched.zh) return
  try {
    fetched.zh = (await import('./zh')).zh
  } catch {
    // The page is asked again the next time that the language is chosen.
  }
}

/** The language of words that may be the server's: English, unless they are Chinese. */
export function tongue(words: string): 'en' | undefined {
  return /\p{Script=Han}/u.test(words) ? undefined : 'en'
}
