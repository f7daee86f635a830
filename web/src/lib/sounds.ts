/** Small sounds, made on the spot; silent unless somebody turned them on. */
import { settings } from './settings.svelte'

let context: AudioContext | null = null

function blip(frequency: number, seconds: number, volume: number, kind: OscillatorType): void {
  if (!settings.sounds) return
  try {
    context ??= new AudioContext()
    const [tone, gain] = [context.createOscillator(), context.createGain()]
    tone.type = kind
    tone.frequency.value = frequency
    gain.gain.setValueAtTime(volume, context.currentTime)
    gain.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + seconds)
    tone.connect(gain).connect(context.destination)
    tone.start()
    tone.stop(context.currentTime + seconds)
  } catch {
    // A browser without sound is a quiet one.
  }
}

export const sounds = {
  card: () => blip(220, 0.07, 0.08, 'triangle'),
  chip: () => blip(1400, 0.05, 0.05, 'sine'),
  close: () => blip(330, 0.25, 0.07, 'sine'),
  win: () => blip(660, 0.35, 0.06, 'sine'),
}
