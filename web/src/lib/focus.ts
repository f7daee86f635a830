/** Where the keys are: they never fall out of the page when something is closed or goes away. */

/** Whether letters go into this element. A slider or a box takes other keys only. */
export function isTyping(element: Element | null): boolean {
  if (element instanceof HTMLInputElement) return !/^(range|checkbox|radio)$/.test(element.type)
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement
}

/** Puts the keys back to where they were, or to the main part if that is gone. */
function back(to: Element | null): void {
  const found = to instanceof HTMLElement && to.isConnected && to !== document.body ? to : null
  const main = found ?? document.querySelector<HTMLElement>('main')
  if (!main) return
  if (!found && !main.hasAttribute('tabindex')) main.tabIndex = -1
  main.focus({ preventScroll: true })
}

let sheets = 0
/** A sheet has just closed: the next one, if it comes now, was opened from it. */
let closing = false
let opener: Element | null = null

/** A sheet opens; it gives what is called when it closes. One sheet may follow another. */
export function overPage(): () => void {
  if (sheets === 0 && !closing) opener = document.activeElement
  sheets += 1
  return () => {
    sheets -= 1
    closing = true
    // The sheet itself is still there at this moment, or the next one is not yet.
    setTimeout(() => {
      closing = false
      if (sheets > 0) return
      const at = document.activeElement
      if (!at || at === document.body || at.closest('dialog')) back(opener)
      opener = null
    })
  }
}

/**
 * Something is asked of the person at the keys: its first control takes them, unless somebody
 * types or a sheet is open, and gives them back when it goes.
 */
export function asked(part: HTMLElement): { destroy: () => void } {
  const before = document.activeElement
  const free = !isTyping(before) && !document.querySelector('dialog[open]')
  if (free) part.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true })
  return {
    destroy: () => {
      if (!free) return
      setTimeout(() => {
        if (!document.activeElement || document.activeElement === document.body) back(before)
      })
    },
  }
}
