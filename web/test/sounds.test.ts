/** Sounds, and their captions. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { settings } from '../src/lib/settings.svelte'
import { sounds } from '../src/lib/sounds.svelte'
import { en } from '../src/lib/texts/en'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  settings.sounds = false
  vi.useRealTimers()
})

it('each sound has its caption for a while, also where nothing can be heard', () => {
  settings.sounds = true
  for (const [sound, caption] of Object.entries(en.sounds)) {
    sounds.play(sound as keyof typeof en.sounds)
    expect(sounds.caption).toBe(caption)
  }
  vi.advanceTimersByTime(2000)
  expect(sounds.caption).toBe('')
})
it('what is silent has none', () => {
  sounds.play('card')
  expect(sounds.caption).toBe('')
})
