/** What a person chose for this browser, kept here and nowhere else. */

export type Theme = 'system' | 'light' | 'dark'
export type Language = 'en' | 'zh'

const NAME = 'sabot.settings'

function read(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(NAME) ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

class Settings {
  theme = $state<Theme>('system')
  language = $state<Language>('en')
  fourColours = $state(false)
  sounds = $state(false)
  squeeze = $state(true)
  largeType = $state(false)
  introSeen = $state(false)

  constructor() {
    const kept = read()
    if (kept['theme'] === 'light' || kept['theme'] === 'dark') this.theme = kept['theme']
    const own = typeof navigator === 'undefined' ? 'en' : navigator.language
    this.language = own.startsWith('zh') ? 'zh' : 'en'
    if (kept['language'] === 'en' || kept['language'] === 'zh') this.language = kept['language']
    this.fourColours = kept['fourColours'] === true
    this.sounds = kept['sounds'] === true
    this.squeeze = kept['squeeze'] !== false
    this.largeType = kept['largeType'] === true
    this.introSeen = kept['introSeen'] === true
  }

  keep(): void {
    const { theme, language, fourColours, sounds, squeeze, largeType, introSeen } = this
    const all = { theme, language, fourColours, sounds, squeeze, largeType, introSeen }
    try {
      localStorage.setItem(NAME, JSON.stringify(all))
    } catch {
      // A browser that keeps nothing still plays.
    }
  }
}

export const settings = new Settings()
