/** The texts in the language that was chosen. */
import { settings } from '../settings.svelte'
import { en, type Texts } from './en'
import { zh } from './zh'

export type { Texts }

export const L = {
  get t(): Texts {
    return settings.language === 'zh' ? zh : en
  },
}
