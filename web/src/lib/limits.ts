/** Limits that somebody sets for himself, as they are typed. */
import { typed } from './money'

export type OwnLimits = { loss_cents?: number; minutes?: number; remind?: number }

const MOST_MINUTES = 4_294_967_295

/** Minutes that were typed; `undefined` for an empty field, nothing if it is no number. */
function minutesTyped(text: string, least: number): number | undefined | null {
  if (text.trim() === '') return undefined
  const found = /^\d{1,10}$/.exec(text.normalize('NFKC').trim())
  const minutes = found ? Number(found[0]) : NaN
  return minutes >= least && minutes <= MOST_MINUTES ? minutes : null
}

/** The limits of three fields, of which any may be empty; nothing if one cannot be read. */
export function limitsTyped(loss: string, minutes: string, remind: string): OwnLimits | null {
  const cents = loss.trim() === '' ? undefined : typed(loss)
  const most = minutesTyped(minutes, 0)
  const every = minutesTyped(remind, 1)
  if (cents === null || most === null || every === null) return null
  return {
    ...(cents === undefined ? {} : { loss_cents: cents }),
    ...(most === undefined ? {} : { minutes: most }),
    ...(every === undefined ? {} : { remind: every }),
  }
}
