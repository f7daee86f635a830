/** Small sounds, made on the spot, each with its caption; silent unless somebody turned them on. */
import { settings } from './settings.svelte'
import { L } from './texts'

type Sound = keyof typeof L.t.sounds
type Tone = [frequency: number, seconds: number, volume: number, kind: OscillatorType]

const TONES: Record<Sound, Tone> = {
  card: [220, 0.07, 0.08, 'triangle'],
  chip: [1400, 0.05, 0.05, 'sine'],
  close: [330, 0.25, 0.07, 'sine'],
  win: [660, 0.35, 0.06, 'sine'],
}

/** How long the caption of a sound stays. */
const CAPTION_MS = 1800

let context: AudioContext | null = null

function blip([frequency, seconds, volume, kind]: Tone): void {
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
    // A browser without sound is a quiet one; the caption is there all the same.
  }
}

class Sounds {
  /** The sound that is heard now, in words: who hears nothing misses nothing. */
  caption = $state('')
  private count = 0

  play(sound: Sound): void {
    if (!settings.sounds) return
    blip(TONES[sound])
    this.caption = L.t.sounds[sound]
    const mine = (this.count += 1)
    setTimeout(() => {
      if (this.count === mine) this.caption = ''
    }, CAPTION_MS)
  }
}

export const sounds = new Sounds()
